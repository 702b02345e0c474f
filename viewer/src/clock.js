// Playback time: what is shown, how fast it runs, where it ends.
import { roundNumber } from "./numbers.js";

const LADDER = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

export class Clock {
  /**
   * @param {number} start first time, s
   * @param {number} end last time, s
   * @param {boolean} loop whether playing begins again at the end
   */
  constructor(start, end, loop) {
    this.speed = 1;
    this.playing = false;
    this.listeners = new Set();
    this.range(start, end, loop);
  }

  /** Take another interval and the speed that suits it. */
  range(start, end, loop) {
    Object.assign(this, { start, end, loop, time: start });
    this.speed = this.suits();
    this.changed();
  }

  get duration() {
    return this.end - this.start;
  }

  /** Speed at which the whole takes ten to twenty seconds (two seconds when it goes round and round). */
  get fit() {
    if (!(this.duration > 0)) return 1;
    return this.loop ? this.duration / 2 : roundNumber(this.duration / 14);
  }

  suits() {
    return !this.loop && this.duration >= 2 && this.duration <= 60 ? 1 : this.fit;
  }

  onChange(listener) {
    this.listeners.add(listener);
  }

  changed() {
    for (const listener of this.listeners) listener(this);
  }

  seek(t) {
    this.time = Math.min(Math.max(t, this.start), this.end);
    this.changed();
  }

  play() {
    if (this.time >= this.end) this.time = this.start;
    this.playing = this.duration > 0;
    this.last = undefined;
    this.changed();
  }

  pause() {
    this.playing = false;
    this.changed();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  setSpeed(x) {
    if (!(x > 0)) throw new Error(`a playback speed is positive, not ${x}`);
    this.speed = x;
    this.changed();
  }

  /** The next slower (-1) or faster (+1) round speed. */
  changeSpeed(direction) {
    const next = direction > 0 ? LADDER.find((x) => x > this.speed * 1.001) : LADDER.findLast((x) => x < this.speed * 0.999);
    if (next) this.setSpeed(next);
  }

  /** Go on by the wall time since the last call; `now` in ms. */
  advance(now) {
    if (!this.playing) return;
    const passed = this.last === undefined ? 0 : Math.min((now - this.last) / 1000, 0.25);
    this.last = now;
    let t = this.time + passed * this.speed;
    if (t >= this.end) {
      if (this.loop) t = this.start + ((t - this.start) % this.duration);
      else [t, this.playing] = [this.end, false];
    }
    this.time = t;
    this.changed();
  }
}
