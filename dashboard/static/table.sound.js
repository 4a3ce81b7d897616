// Synthesised sounds of the table. Off by default; the browser remembers the choice.

const KEPT = "arena-sound";
let context = null;

function kept() {
  try {
    return localStorage.getItem(KEPT) === "on";
  } catch {
    return false;
  }
}

let on = kept();

export const isOn = () => on;

export function toggle() {
  on = !on;
  try {
    localStorage.setItem(KEPT, on ? "on" : "off");
  } catch {}
  if (on) play("turn");
  return on;
}

function tone(at, frequency, seconds, volume = 0.12, shape = "sine") {
  const [oscillator, gain] = [context.createOscillator(), context.createGain()];
  oscillator.type = shape;
  oscillator.frequency.value = frequency;
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(volume, at + 0.012);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + seconds);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(at);
  oscillator.stop(at + seconds);
}

// A short rustle: noise through a filter.
function rustle(at, frequency, seconds, volume = 0.25) {
  const length = Math.ceil(context.sampleRate * seconds);
  const buffer = context.createBuffer(1, length, context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < length; i += 1) samples[i] = (Math.random() * 2 - 1) * (1 - i / length) ** 2;
  const [source, filter, gain] = [context.createBufferSource(), context.createBiquadFilter(), context.createGain()];
  source.buffer = buffer;
  filter.type = "bandpass";
  filter.frequency.value = frequency;
  gain.gain.value = volume;
  source.connect(filter).connect(gain).connect(context.destination);
  source.start(at);
}

const melody = (at, notes, step, seconds) => notes.forEach((note, i) => tone(at + i * step, note, seconds));

const SOUNDS = {
  play: (at) => (rustle(at, 900, 0.07, 0.5), tone(at, 190, 0.07, 0.1, "triangle")),
  draw: (at) => rustle(at, 2600, 0.16, 0.22),
  take: (at) => rustle(at, 2600, 0.16, 0.22),
  discard: (at) => rustle(at, 900, 0.07, 0.5),
  roll: (at) => [0, 0.07, 0.13, 0.21, 0.27].forEach((later) => rustle(at + later, 1700, 0.045, 0.5)),
  quit: (at) => melody(at, [330, 247], 0.12, 0.2),
  give: (at) => tone(at, 1320, 0.14, 0.06),
  collect: (at) => melody(at, [1320, 1180, 1050], 0.05, 0.12),
  return: (at) => tone(at, 1560, 0.16, 0.06),
  turn: (at) => melody(at, [523, 784], 0.09, 0.25),
  round: (at) => melody(at, [392, 494, 587], 0.11, 0.35),
  match: (at) => melody(at, [523, 659, 784, 1047], 0.13, 0.5),
};

export function play(name) {
  if (!on || !SOUNDS[name] || document.hidden) return;
  context = context || new AudioContext();
  // Browsers allow sound only after a press; earlier sounds are dropped.
  if (context.state === "suspended") context.resume().catch(() => {});
  SOUNDS[name](context.currentTime + 0.01);
}
