import { join } from "node:path";

/** A program of Windows itself, by its path: a bare name is looked for in the working folder first, where an agent may have put one. */
export function windowsProgram(...names: readonly string[]): string {
  return join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", ...names);
}
