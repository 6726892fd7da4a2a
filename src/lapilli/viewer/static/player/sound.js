// @ts-check
/** Short sounds, made by the browser itself. */

/** @type {AudioContext | undefined} */
let context;

/**
 * @param {OscillatorType} type
 * @param {number} from in hertz
 * @param {number} to in hertz
 * @param {number} seconds
 * @param {number} [after] how many seconds from now
 */
function tone(type, from, to, seconds, after = 0) {
  context ??= new AudioContext();
  const [source, volume, start] = [context.createOscillator(), context.createGain(), context.currentTime + after];
  source.type = type;
  source.frequency.setValueAtTime(from, start);
  source.frequency.exponentialRampToValueAtTime(to, start + 0.7 * seconds);
  volume.gain.setValueAtTime(0.15, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + 0.9 * seconds);
  source.connect(volume).connect(context.destination);
  source.start(start);
  source.stop(start + seconds);
}

/** A click, as of a piece that is put down. */
export function click() {
  tone("triangle", 420, 140, 0.08);
}

/** Two rising notes: it is your turn. */
export function chime() {
  tone("sine", 587, 587, 0.18);
  tone("sine", 784, 784, 0.3, 0.12);
}

/** Three falling notes: the match is over. */
export function ending() {
  tone("sine", 784, 784, 0.18);
  tone("sine", 659, 659, 0.18, 0.14);
  tone("sine", 523, 523, 0.4, 0.28);
}
