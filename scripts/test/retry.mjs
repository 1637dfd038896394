// A second try for parts that start a real editor or real agents.
import { runPart } from "./suite-process.mjs";

/**
 * Runs a part as runPart does. If a part that `mayFlake` fails, the files of its failed tests run once more in a fresh process, and
 * then only their second result counts: `flaky` lists the titles and errors of the first. A failure outside of a test file, such as
 * a part that hung, repeats the whole part. Nothing else is ever tried again.
 */
export async function runOnceOrTwice(part, options, run = runPart) {
  const first = await run(part, options);
  if (first.failed.length === 0 || !part.mayFlake || options.signal?.aborted) return { ...first, flaky: [] };
  const failed = new Set(first.failed.map(({ file }) => file));
  const second = await run(failed.has(undefined) ? part : { ...part, files: [...failed] }, options);
  const repeated = new Set([...second.passed, ...second.skipped, ...second.failed.map(({ title }) => title)]);
  const isKept = (title) => !failed.has(undefined) && !repeated.has(title);
  return {
    ...second,
    passed: [...first.passed.filter(isKept), ...second.passed],
    skipped: [...first.skipped.filter(isKept), ...second.skipped],
    flaky: second.failed.length === 0 ? first.failed : [],
    output: `${first.output}\n--- tried once more ---\n${second.output}`,
    seconds: first.seconds + second.seconds,
  };
}
