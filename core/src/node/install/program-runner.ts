import { open } from "node:fs/promises";

/** What starts a program: the system, or an interpreter that its first line or its extension names. */
export type ProgramRunner = "self" | "node" | "python";

const executables = [
  Buffer.from("\x7fELF", "latin1"),
  Buffer.from("MZ", "latin1"),
  ...["feedface", "feedfacf", "cefaedfe", "cffaedfe", "cafebabe"].map((hex) => Buffer.from(hex, "hex")),
];

/** Who starts `file`; what says nothing of it is started by `fallback`. Scripts of other shells start themselves. */
export async function runnerOf(file: string, fallback: ProgramRunner): Promise<ProgramRunner> {
  const start = await readStart(file);
  if (executables.some((magic) => start.subarray(0, magic.length).equals(magic))) return "self";
  const [, line] = /^#!([^\n]*)/.exec(start.toString("latin1")) ?? [];
  if (line === undefined) return /\.(?:exe|cmd|bat)$/i.test(file) ? "self" : fallback;
  if (/\bnode(?:js)?\b/.test(line)) return "node";
  return /\bpython[\d.]*w?\b/.test(line) ? "python" : "self";
}

async function readStart(file: string): Promise<Buffer> {
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(512), 0, 512, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
