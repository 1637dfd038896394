import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { stdioChannel } from "../../../src/base/node/stdio-channel.js";

/*
 * Echoes every line and stops reading while its reader is slow. On "flood", sends lines of its own until its reader is slow. Then it
 * writes to stderr in later turns of its event loop, which works only if nothing blocks the loop. When its input ends, it writes its peak
 * memory in MiB once its reader has received everything. After a flood, it first writes "end" without waiting for its reader.
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
    // `pipe` compares its target with `process.stdout`, so it accesses that stream as well.
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
