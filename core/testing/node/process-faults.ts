import { spawn } from "node:child_process";
import process from "node:process";
import type { Faults } from "../faults.js";
import type { StdioChannel } from "./stdio-channel.js";

/** A part that was told to stay leaves by itself after this time, so that no test can leave one for good. */
const longestStayMs = 10 * 60_000;

/** How long a reader may take what was written before an exit. */
const flushMs = 1_000;

/** The misbehaviour of a real process. */
export class ProcessFaults implements Faults {
  constructor(private readonly channel: StdioChannel) {}

  exit(code: number): void {
    const leave = (): void => process.exit(code);
    this.channel.flush(leave);
    setTimeout(leave, flushMs);
  }

  write(text: string): void {
    this.channel.write(text);
  }

  writeStderr(text: string): void {
    process.stderr.write(text);
  }

  stopReading(): void {
    this.channel.halt();
    stay();
  }

  ignoreEndOfInput(): void {
    this.channel.ignoreEnd();
    stay();
  }

  startChild(): number | undefined {
    const program = `process.on("SIGTERM", () => undefined); setTimeout(() => undefined, ${longestStayMs});`;
    const child = spawn(process.execPath, ["-e", program], { stdio: "ignore" });
    child.unref();
    return child.pid;
  }

  /** Answers SIGTERM with nothing: only SIGKILL ends the process. */
  ignoreTermination(): void {
    process.on("SIGTERM", () => undefined);
  }
}

function stay(): void {
  setTimeout(() => process.exit(3), longestStayMs);
}
