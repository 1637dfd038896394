import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, rm, writeFile } from "node:fs/promises";

/**
 * Returns the secret with which a user's processes authenticate each other, since not every system protects sockets by their folder. The
 * first caller creates it atomically in a user-only file.
 */
export async function userToken(file: string): Promise<string> {
  const known = read(file);
  if (known !== undefined) return known;
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
  await writeFile(temporary, randomBytes(32).toString("hex"), { mode: 0o600, flag: "wx" });
  try {
    // Linking is atomic and fails if the file exists.
    await link(temporary, file).catch(() => undefined);
  } finally {
    await rm(temporary, { force: true });
  }
  return read(file) ?? Promise.reject(new Error(`${file} cannot be written.`));
}

/** Reads synchronously, since editors wait for this start and loading `node:fs/promises` takes milliseconds. */
function read(file: string): string | undefined {
  try {
    const text = readFileSync(file, "utf8");
    return /^[0-9a-f]{64}$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
