//! From a request to an answer. A path is parsed to an entry of a closed list; it is never a path of
//! a file.

use std::sync::Arc;
use std::time::Duration;

use granum_engine::BodyId;
use serde_json::{Value, json};

use super::request::Request;
use super::response::Response;
use crate::data::{Contents, Message, Missing, Run, forms, frame, grain, middle, room};
use crate::live::Live;
use crate::page;

/// Header that orders to a run need. A page of another origin cannot send it without permission,
/// which this server never gives.
const ORDER_HEADER: &str = "x-granum";

/// Longest time for which an answer waits for a new state.
const PATIENCE: Duration = Duration::from_secs(1);

/// Largest number of frames of one answer about the track of a grain.
const MOST_TRACKED: usize = 200;

/// Names of the loopback address in the `Host` header.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// What the server shows.
pub struct Viewer {
    /// The folder of the run.
    run: Run,
    /// The simulation, if the run proceeds in this process.
    live: Option<Arc<Live>>,
}

impl Viewer {
    /// Shows a finished run, or one that proceeds in another process.
    pub fn of_folder(run: Run) -> Self {
        Self { run, live: None }
    }

    /// Shows a running simulation and the frames that it has written to its folder.
    pub fn of_simulation(run: Run, live: Arc<Live>) -> Self {
        let state = live.wait(None, false, Duration::ZERO);
        // The folder may have no frame yet.
        run.set_origin(middle(&state.subject()));
        Self { run, live: Some(live) }
    }
}

/// Answers a request.
pub fn answer(viewer: &Viewer, request: &Request) -> Response {
    let host = request.header("host").unwrap_or("");
    let name = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(host, |(name, _)| name);
    if !LOOPBACK.contains(&name) {
        return Response::error("421 Misdirected Request", "the viewer answers on the loopback address only");
    }
    match request.method.as_str() {
        "GET" | "HEAD" => get(viewer, request),
        "POST" => post(viewer, request),
        _ => Response::error("405 Method Not Allowed", "the viewer only answers GET"),
    }
}

fn get(viewer: &Viewer, request: &Request) -> Response {
    let path: Vec<&str> = request.path.split('/').skip(1).collect();
    let run = &viewer.run;
    let answered = match path[..] {
        [""] => return Response::html(page::document()),
        ["api", "run"] => run.description(request.number("known")).map(|value| match value {
            Some(mut value) => {
                value["live"] = json!(viewer.live.is_some());
                if let Some(live) = &viewer.live {
                    describe(live, &mut value);
                }
                Response::json(&value)
            }
            None => Response::unchanged(),
        }),
        ["api", "shapes", "live"] => match &viewer.live {
            Some(live) => Ok(Response::binary(forms::message(&live.wait(None, false, Duration::ZERO).shapes))),
            None => Err(absent("the run does not proceed in this process")),
        },
        ["api", "shapes", number] => parsed(number).and_then(|number| run.shapes(number)).map(Response::binary),
        ["api", "frame", number] => {
            parsed(number).and_then(|number| run.frame_message(number, &contents(request))).map(Response::binary)
        }
        ["api", "grain", "live", id] => live_grain(viewer, id),
        ["api", "grain", number, id] => {
            both(number, id).and_then(|(number, id)| run.grain(number, id)).map(|value| Response::json(&value))
        }
        ["api", "track", id] => parsed(id).and_then(|id| {
            let numbers = request.text("frames").unwrap_or("").split(',').filter_map(|number| number.parse().ok());
            let numbers: Vec<u64> = numbers.take(MOST_TRACKED).collect();
            run.track(id as u32, &numbers).map(Response::binary)
        }),
        ["api", "energies"] => run.energies().map(Response::binary),
        ["api", "live"] => live(viewer, request),
        _ => Err(absent("there is no such page")),
    };
    answered.unwrap_or_else(|missing| refusal(run, &missing))
}

/// Adds what a run without frames lacks.
fn describe(live: &Live, value: &mut Value) {
    let state = live.wait(None, false, Duration::ZERO);
    let subject = state.subject();
    let room = room(subject.bodies, subject.shapes);
    value["room"] = json!([room.min.to_array(), room.max.to_array()]);
    value["materials"] = json!(subject.materials);
    value["planar"] = json!(forms::is_planar(subject.shapes));
}

/// Returns all data of one body of the running simulation.
fn live_grain(viewer: &Viewer, id: &str) -> Result<Response, Missing> {
    let Some(live) = &viewer.live else { return Err(absent("the run does not proceed in this process")) };
    let state = live.wait(None, true, PATIENCE);
    let id = BodyId(id.parse().map_err(|_| absent("a number is malformed"))?);
    let found = grain(&state.subject(), id).map(|value| Response::json(&value));
    found.ok_or_else(|| absent("the run has no such body now"))
}

/// Waits for a state of the simulation that the page does not have yet.
fn live(viewer: &Viewer, request: &Request) -> Result<Response, Missing> {
    let Some(live) = &viewer.live else { return Err(absent("the run does not proceed in this process")) };
    let (contents, after) = (contents(request), request.number("after"));
    let state = live.wait(after, contents.contacts, PATIENCE);
    let mut message = if after == Some(state.step) {
        let mut message = Message::default();
        message.set("unchanged", true);
        message.set("step", state.step);
        message
    } else {
        frame::message(state.step, &state.subject(), viewer.run.origin(), &contents)
    };
    message.set("paused", live.is_paused());
    message.set("over", live.is_over());
    Ok(Response::binary(message.finish()))
}

/// Executes an order to the run.
fn post(viewer: &Viewer, request: &Request) -> Response {
    if request.header(ORDER_HEADER).is_none() {
        return Response::error("403 Forbidden", "an order needs the header X-Granum");
    }
    // A body would be taken for the next request.
    if request.header("content-length").is_some_and(|length| length != "0")
        || request.header("transfer-encoding").is_some()
    {
        return Response::error("413 Content Too Large", "an order has no contents");
    }
    let order = request.path.strip_prefix("/api/order/");
    match (order, &viewer.live) {
        (Some(order), Some(live)) if live.command(order) => Response::unchanged(),
        (Some(_), None) => Response::error("409 Conflict", "the run does not proceed in this process"),
        _ => Response::error("404 Not Found", "there is no such order"),
    }
}

fn contents(request: &Request) -> Contents {
    let quantities = request.text("quantity").unwrap_or("").split(',').filter(|name| !name.is_empty());
    Contents { quantities: quantities.map(str::to_owned).collect(), contacts: request.number("contacts") == Some(1) }
}

fn parsed(text: &str) -> Result<u64, Missing> {
    text.parse().map_err(|_| absent("a number is malformed"))
}

fn both(number: &str, id: &str) -> Result<(u64, u32), Missing> {
    Ok((parsed(number)?, id.parse().map_err(|_| absent("a number is malformed"))?))
}

fn absent(reason: &str) -> Missing {
    Missing::Absent(reason.to_owned())
}

fn refusal(run: &Run, missing: &Missing) -> Response {
    match missing {
        Missing::Damaged(error) => Response::error("422 Unprocessable Content", &run.relative(error)),
        Missing::Absent(reason) => Response::error("404 Not Found", reason),
    }
}
