#!/usr/bin/env node
import { setMaxListeners } from "node:events";
import { messageOf } from "../../base/symposium-error.js";
import { subcommands } from "./subcommands.js";

function main(words: readonly string[]): Promise<number> {
  return subcommands(["--version", "-v", "-V"].includes(words[0] ?? "") ? ["version"] : words);
}

// Editors set this variable to run Symposium with their own Electron binary as Node; child processes must not inherit it.
delete process.env["ELECTRON_RUN_AS_NODE"];

// Every MCP server of a session listens for the session's end. Node 20 warns above 10 listeners; later versions don't.
setMaxListeners(1_000);

main(process.argv.slice(2)).then(
  (exitCode) => process.exit(exitCode),
  async (failure: unknown) => {
    const said =
      failure instanceof Error && "syscall" in failure && failure.syscall === "uv_cwd"
        ? "The current folder no longer exists. Change to an existing folder, for example with `cd`."
        : `${messageOf(failure)}${await remedyOf(failure)}`;
    const { warn } = await import("./output.js");
    warn(`symposium-acp-agent: ${said}`);
    process.exit(2);
  },
);

/** Suggests a fix if the system denies writing; other errors include their own hint. */
async function remedyOf(failure: unknown): Promise<string> {
  const { systemCode } = await import("../../base/node/atomic-write.js");
  if (!["EROFS", "EACCES", "EPERM", "ENOSPC", "EDQUOT"].includes(systemCode(failure))) return "";
  return ". Check the permissions and free space there, or set SYMPOSIUM_CONFIG_DIR to another folder.";
}
