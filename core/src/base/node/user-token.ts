import { randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";

/**
 * Returns the secret with which a user's processes authenticate each other, since not every system protects sockets by their folder. The
 * first caller creates it atomically in a user-only file.
 */
export async function userToken(file: string): Promise<string> {
  const known = await read(file);
  if (known !== undefined) return known;
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
  await writeFile(temporary, randomBytes(32).toString("hex"), { mode: 0o600, flag: "wx" });
  try {
    // Linking is atomic and fails if the file exists.
    await link(temporary, file).catch(() => undefined);
  } finally {
    await rm(temporary, { force: true });
  }
  return (await read(file)) ?? Promise.reject(new Error(`${file} cannot be written.`));
}

async function read(file: string): Promise<string | undefined> {
  const text = await readFile(file, "utf8").catch(() => "");
  return /^[0-9a-f]{64}$/.test(text) ? text : undefined;
}
