import process from "node:process";
import { OtlpReceiver } from "#testing/node/otlp-receiver.js";

/* Receives telemetry in a process of its own. Prints its URL, and the number of received spans when its input ends. */

const receiver = await OtlpReceiver.start();
process.stdout.write(`${receiver.url}\n`);
process.stdin
  .on("end", () => {
    process.stdout.write(`${receiver.spans.length}\n`, () => process.exit(0));
  })
  .resume();
