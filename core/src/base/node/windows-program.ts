import { join } from "node:path";

/**
 * Absolute path of a Windows program. A bare name would be searched in the working folder first, where an agent may have created a program.
 */
export function windowsProgram(...names: readonly string[]): string {
  return join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", ...names);
}
