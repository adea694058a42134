// Elements of the panel, and input by mouse, touch and keyboard.

/**
 * Creates an element.
 * @param {string} tag @param {{[name: string]: any}} [attributes] @param {(Node | string)[]} [children]
 * @returns {any}
 */
export function element(tag, attributes = {}, children = []) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

/** A line of the panel with a label. @param {string} label @param {...Node} fields */
export function line(label, ...fields) {
  return element('label', { class: 'line' }, [element('span', {}, [label]), ...fields]);
}

/** @param {string} id @param {string} label @param {boolean} isOn @param {(isOn: boolean) => void} onChange */
export function checkbox(id, label, isOn, onChange) {
  const box = element('input', { type: 'checkbox', id, onchange: () => onChange(box.checked) });
  box.checked = isOn;
  return element('label', { class: 'check' }, [box, label]);
}

/** @param {string} id @param {[string, string][]} choices @param {string} value @param {(value: string) => void} onChange */
export function choice(id, choices, value, onChange) {
  const list = element('select', { id, onchange: () => onChange(list.value) }, choices.map(([name, label]) => element('option', { value: name }, [label])));
  list.value = value;
  return list;
}

/** @param {string} id @param {number} low @param {number} high @param {number} value @param {(value: number) => void} onChange */
export function slider(id, low, high, value, onChange) {
  const bar = element('input', { type: 'range', id, min: low, max: high, step: 'any', oninput: () => onChange(Number(bar.value)) });
  bar.value = String(value);
  return bar;
}

/** A number, or nothing. @param {string} id @param {number | null} value @param {string} hint @param {(value: number | null) => void} onChange */
export function numberField(id, value, hint, onChange) {
  const field = element('input', { type: 'text', inputmode: 'decimal', id, placeholder: hint, class: 'number', 'aria-label': hint });
  field.value = value === null ? '' : String(value);
  field.addEventListener('change', () => {
    const number = Number(field.value);
    const isEmpty = field.value.trim() === '';
    field.classList.toggle('wrong', !isEmpty && !Number.isFinite(number));
    if (isEmpty || Number.isFinite(number)) onChange(isEmpty ? null : number);
  });
  return field;
}

/** @param {string} id @param {string} label @param {string} hint @param {() => void} onClick */
export function button(id, label, hint, onClick) {
  return element('button', { id, type: 'button', title: hint, 'aria-label': hint, onclick: onClick }, [label]);
}

/** A part of the panel that can be closed. @param {string} title @param {boolean} isOpen @param {...Node} children */
export function section(title, isOpen, ...children) {
  return element('details', { open: isOpen }, [element('summary', {}, [title]), ...children]);
}

/**
 * Input on the picture: one pointer turns, two shift and zoom; the right button or Shift shifts.
 * @param {HTMLCanvasElement} canvas
 * @param {{turn: (dx: number, dy: number) => void, shift: (dx: number, dy: number) => void,
 *   zoom: (factor: number, x: number, y: number) => void, click: (x: number, y: number) => void,
 *   center: (x: number, y: number) => void}} actions
 */
export function listenToPointers(canvas, actions) {
  /** @type {Map<number, {x: number, y: number}>} */
  const pointers = new Map();
  let moved = 0;
  const place = (/** @type {PointerEvent | WheelEvent | MouseEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const fromMiddle = (/** @type {{x: number, y: number}} */ at) => [at.x - canvas.clientWidth / 2, at.y - canvas.clientHeight / 2];
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
    if (pointers.size === 1) moved = 0;
    canvas.focus();
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = place(event);
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    moved += Math.abs(dx) + Math.abs(dy);
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId);
      if (other) {
        const [old, fresh] = [before, now].map(({ x, y }) => Math.hypot(x - other[1].x, y - other[1].y));
        const [x, y] = fromMiddle({ x: (now.x + other[1].x) / 2, y: (now.y + other[1].y) / 2 });
        if (fresh > 1) actions.zoom(old / fresh, x, y);
        actions.shift(dx / 2, dy / 2);
      }
    } else if (moved > 3) {
      if (event.buttons & 6 || event.shiftKey) actions.shift(dx, dy);
      else actions.turn(dx, dy);
    }
    pointers.set(event.pointerId, now);
  });
  const end = (/** @type {PointerEvent} */ event) => {
    const at = place(event);
    if (pointers.delete(event.pointerId) && pointers.size === 0 && moved <= 3 && event.button === 0 && event.type === 'pointerup') {
      actions.click(at.x, at.y);
    }
  };
  canvas.addEventListener('pointerup', end);
  canvas.addEventListener('pointercancel', end);
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener('dblclick', (event) => {
    const at = place(event);
    actions.center(at.x, at.y);
  });
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const [x, y] = fromMiddle(place(event));
      actions.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)))), x, y);
    },
    { passive: false },
  );
}
