//! Execution of a stage on the calling thread or on all threads of a pool.
//!
//! Both give the same bits: every item writes its own results, and the only reduction is a maximum.

use rayon::iter::plumbing::{Producer, ProducerCallback};
use rayon::prelude::*;

/// Threads that execute the stages of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// The calling thread alone. No pool is used, so that nothing is woken or waited for.
    OneThread,
    /// All threads of the pool in which the step runs.
    AllThreads,
}

impl Execution {
    /// Returns the number of threads that take part. Call it within the pool.
    pub fn threads(self) -> usize {
        match self {
            Self::OneThread => 1,
            Self::AllThreads => rayon::current_num_threads(),
        }
    }

    /// Calls `work` with each item.
    #[inline]
    pub fn for_each<I: IndexedParallelIterator>(self, items: I, work: impl Fn(I::Item) + Send + Sync) {
        match self {
            Self::OneThread => items.with_producer(InOrder(work)),
            Self::AllThreads => items.for_each(work),
        }
    }

    /// Calls `work` with each item and with scratch data of the thread.
    #[inline]
    pub fn for_each_with_scratch<I: IndexedParallelIterator, S: Default>(
        self,
        items: I,
        work: impl Fn(&mut S, I::Item) + Send + Sync,
    ) {
        match self {
            Self::OneThread => {
                let mut scratch = S::default();
                items.with_producer(InOrder(|item| work(&mut scratch, item)));
            }
            Self::AllThreads => items.for_each_init(S::default, work),
        }
    }

    /// Returns the greatest result of `work`, and at least zero.
    #[inline]
    pub fn greatest<I: IndexedParallelIterator>(self, items: I, work: impl Fn(I::Item) -> f64 + Send + Sync) -> f64 {
        match self {
            Self::OneThread => {
                let mut greatest = 0.0f64;
                items.with_producer(InOrder(|item| greatest = greatest.max(work(item))));
                greatest
            }
            Self::AllThreads => items.map(work).reduce(|| 0.0, f64::max),
        }
    }

    /// Stores the results of `work` in the order of the items.
    #[inline]
    pub fn collect<I: IndexedParallelIterator, R: Send>(
        self,
        items: I,
        work: impl Fn(I::Item) -> R + Send + Sync,
        results: &mut Vec<R>,
    ) {
        match self {
            Self::OneThread => {
                results.clear();
                items.with_producer(InOrder(|item| results.push(work(item))));
            }
            Self::AllThreads => items.map(work).collect_into_vec(results),
        }
    }
}

/// Calls a function with each item on the calling thread.
struct InOrder<F>(F);

impl<T, F: FnMut(T)> ProducerCallback<T> for InOrder<F> {
    type Output = ();

    #[inline]
    fn callback<P: Producer<Item = T>>(self, producer: P) {
        producer.into_iter().for_each(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_and_all_threads_agree() {
        let numbers: Vec<f64> = (0..1000).map(|k| f64::from(k * 37 % 1000)).collect();
        for execution in [Execution::OneThread, Execution::AllThreads] {
            assert_eq!(execution.greatest(numbers.par_iter(), |&x| x), 999.0);
            let mut squares = vec![7.0];
            execution.collect(numbers.par_iter(), |&x| x * x, &mut squares);
            assert!(squares.len() == 1000 && squares.iter().zip(&numbers).all(|(s, x)| *s == x * x));
            let mut halves = numbers.clone();
            execution.for_each(halves.par_chunks_mut(64), |chunk| chunk.iter_mut().for_each(|x| *x *= 0.5));
            execution.for_each_with_scratch(halves.par_iter_mut(), |count: &mut u32, x| {
                *count += 1;
                *x += *x;
            });
            assert_eq!(halves, numbers);
        }
    }

    #[test]
    fn one_thread_stays_on_the_calling_thread() {
        let caller = std::thread::current().id();
        let items: Vec<u32> = (0..5000).collect();
        Execution::OneThread.for_each(items.par_iter(), |_| assert_eq!(std::thread::current().id(), caller));
    }
}
