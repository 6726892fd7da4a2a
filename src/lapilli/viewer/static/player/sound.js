// @ts-check
/** Plays short sounds, which the browser synthesizes. */

/** @type {AudioContext | undefined} */
let context;

/**
 * Plays a tone whose pitch moves from one frequency to another.
 * @param {OscillatorType} type
 * @param {number} from first frequency, in hertz
 * @param {number} to last frequency, in hertz
 * @param {number} seconds duration
 * @param {number} [after] delay before the tone, in seconds
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

/** Plays the click of a piece that is put down. */
export function click() {
  tone("triangle", 420, 140, 0.08);
}

/** Plays two rising notes: it is your turn. */
export function chime() {
  tone("sine", 587, 587, 0.18);
  tone("sine", 784, 784, 0.3, 0.12);
}

/** Plays three falling notes: the match is over. */
export function ending() {
  tone("sine", 784, 784, 0.18);
  tone("sine", 659, 659, 0.18, 0.14);
  tone("sine", 523, 523, 0.4, 0.28);
}
