import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";

/**
 * Reads a value that must not appear on the command line or screen: typed invisibly in a terminal, otherwise all of stdin without its final
 * line break.
 */
export async function hiddenValue(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, "");
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await lines.question("");
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}

export async function shownValue(question: string, signal?: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question, signal ? { signal } : {});
  } finally {
    lines.close();
  }
}
