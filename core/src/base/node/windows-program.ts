import { join } from "node:path";

/**
 * Returns the absolute path of a Windows program. Windows searches for a bare name in the working folder first, where an agent may have
 * created a program.
 */
export function windowsProgram(...names: readonly string[]): string {
  return join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", ...names);
}
