import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { stdioChannel } from "../../../src/base/node/stdio-channel.js";

/*
 * Sends every line back, and stops reading while its reader is slow. "flood" makes it send lines of its own until its
 * reader is slow; then it says so on stderr from later turns of its event loop, which it can only if nothing blocks it.
 * At the end of its input it says its peak memory in MiB, once its reader has everything; after a flood it says at once
 * that it has seen the end.
 */
let hasFlooded = false;
const channel = stdioChannel({
  handlers: {
    line: (line) => {
      if (line === "flood") flood();
      else channel.send(line);
    },
    oversize: ({ bytes }) => channel.send(`oversize ${bytes}`),
    end: () => {
      if (hasFlooded) process.stderr.write("end\n");
      void channel.flushed().then(() => {
        channel[Symbol.dispose]();
        process.stderr.write(`peak ${Math.round(peakKilobytes() / 1024)}\n`);
      });
    },
  },
  maxLineBytes: 2_000_000,
});
channel.onCongestion(() => {
  if (channel.isCongested) channel.pause();
  else channel.resume();
});

function flood(): void {
  let turns = 0;
  hasFlooded = true;
  while (!channel.isCongested) channel.send("x".repeat(99));
  const timer = setInterval(() => {
    // Whoever pipes anything asks for `process.stdout`, too.
    Readable.from(["turn\n"]).pipe(process.stderr);
    if (++turns === 3) clearInterval(timer);
  }, 1);
}

/** Linux counts what the parent had before the program started into a child's `maxRSS`. */
function peakKilobytes(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS;
  const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(peak);
}
