import type { Tool } from "../../../mcp/tool-server.js";
import type { CrateLocator, LocatedCrate } from "../crates/crate-locator.js";
import { crateProperties, textArgument, versionLine } from "./crate-arguments.js";

/** Tells where the sources of a crate are. `onLocated` learns of each crate that was found. */
export function crateSourcesTool(
  locator: CrateLocator,
  cwd: string,
  name = "crate_sources",
  onLocated: (crate: LocatedCrate) => void = () => undefined,
): Tool {
  return {
    name,
    title: "Find a crate's sources",
    description:
      "Locates the source code of a Rust crate on this machine, at the version this workspace uses, and downloads it " +
      "through cargo when it is missing. Returns the folder to read, the version, and why this version.",
    inputSchema: { properties: crateProperties, required: ["crate_name"], additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: true },
    async call(args, context) {
      const crateName = textArgument(args, "crate_name") ?? "";
      const crate = await locator.locate({ crateName, version: textArgument(args, "version"), cwd }, context.signal);
      onLocated(crate);
      const { version, why, folder, rootFile } = crate;
      const entry = rootFile === undefined ? "" : `\nRoot file: ${rootFile}`;
      return {
        content: [{ type: "text", text: `${versionLine(crate)}\nSources: ${folder.path}${entry}` }],
        structuredContent: { crate_name: crate.name, version, path: folder.path, root_file: rootFile ?? null, why },
      };
    },
  };
}
