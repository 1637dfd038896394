import { fileURLToPath } from "node:url";

export type Fault =
  | "none"
  | "busy"
  | "dies-at-start"
  | "dies-when-asked"
  | "floods"
  | "garbage"
  | "hangs"
  | "needs-answers"
  | "old"
  | "prepares"
  | "renames"
  | "stray-lines";

/** The settings in which a fake server, which has `fault`, serves files that end in `.fake`. */
export function fakeServer(
  fault: Fault,
  more: { readonly stateFile?: string; readonly [key: string]: unknown } = {},
): { readonly languageServers: { readonly fake: object } } {
  const { stateFile, ...settings } = more;
  const program = fileURLToPath(new URL("../programs/fake-server.js", import.meta.url));
  return {
    ...settings,
    languageServers: {
      fake: {
        command: process.execPath,
        args: [program, fault, ...(stateFile === undefined ? [] : [stateFile])],
        languages: { fake: [".fake"] },
        readiness: fault === "busy" ? "progress" : "none",
        settings: { a: { b: { answer: 42 } } },
        ...(typeof settings["memoryLimitMiB"] === "number" && { memoryLimitMiB: settings["memoryLimitMiB"] }),
      },
    },
  };
}
