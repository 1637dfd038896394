// A second try for parts that start a real editor or real agents.
import { runPart } from "./suite-process.mjs";

/**
 * Runs a part as runPart does. A part that `mayFlake` and fails runs once more in a fresh process, and then only the second result
 * counts: its `flaky` lists the titles and errors of the first. Nothing else is ever tried again.
 */
export async function runOnceOrTwice(part, options, run = runPart) {
  const first = await run(part, options);
  if (first.failed.length === 0 || !part.mayFlake || options.signal?.aborted) return { ...first, flaky: [] };
  const second = await run(part, options);
  return {
    ...second,
    flaky: second.failed.length === 0 ? first.failed : [],
    output: `${first.output}\n--- tried once more ---\n${second.output}`,
    seconds: first.seconds + second.seconds,
  };
}
