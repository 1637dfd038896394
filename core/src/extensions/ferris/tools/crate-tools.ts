import { textOf } from "../../../base/rpc/json.js";
import {
  argumentsSchema,
  integerSchema,
  numberArgument,
  textArgument,
  textSchema,
} from "../../../base/mcp/tool-schema.js";
import type { Tool } from "../../../base/mcp/tool-server.js";
import { type CrateLocator, type LocatedCrate, type SearchArea, searchAreas } from "../crates/crate-locator.js";

/** Tool that returns the source folder of a crate. `onLocated` is called with each found crate. */
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
    inputSchema: argumentsSchema(crateProperties, ["crate_name"]),
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

const defaultLimit = 50;
const largestLimit = 200;

/** Tool that searches the sources of a crate. */
export function crateSearchTool(locator: CrateLocator, cwd: string): Tool {
  return {
    name: "crate_search",
    title: "Search a crate's sources",
    description:
      "Finds lines in the sources, examples and tests of a Rust crate, at the version this workspace uses. " +
      "One match a line as FILE:LINE: TEXT, in pages.",
    inputSchema: argumentsSchema(
      {
        ...crateProperties,
        query: textSchema(
          "A regular expression, or plain text if it isn't a valid one. Case matters only if it contains upper case.",
        ),
        in: { enum: ["src", "examples", "tests", "all"], description: "Where to look; everywhere if absent." },
        limit: integerSchema(1, `Matches per page; ${defaultLimit} if absent.`, largestLimit),
        offset: integerSchema(0, "Matches to skip: the number already seen."),
      },
      ["crate_name", "query"],
    ),
    annotations: { readOnlyHint: true, openWorldHint: true },
    async call(args, context) {
      const crateName = textArgument(args, "crate_name") ?? "";
      const query = textOf(args["query"]);
      const crate = await locator.locate({ crateName, version: textArgument(args, "version"), cwd }, context.signal);
      const [{ searchCrate }, { textNote, toPattern }] = await Promise.all([
        import("../crates/search-crate.js"),
        import("../../packages/text/line-search.js"),
      ]);
      const offset = numberArgument(args, "offset", 0);
      const page = { offset, limit: numberArgument(args, "limit", defaultLimit) };
      const area = areaOf(args["in"]);
      const pattern = toPattern(query);
      const { matches, total } = await searchCrate(crate, pattern, area, page, context.signal);
      const place = `${crate.folder.path}${area === "all" ? "" : ` (${area} only)`}`;
      const head = `${versionLine(crate)}\n${countOf(total, offset, matches.length)} in ${place}${textNote(pattern)}`;
      const next = offset + matches.length;
      const tail = next < total && matches.length > 0 ? `\n… ${total - next} more: pass offset ${next}.` : "";
      return `${head}${matches.map((match) => `\n${match}`).join("")}${tail}`;
    },
  };
}

function areaOf(value: unknown): SearchArea {
  return searchAreas.find((area) => area === value) ?? "all";
}

function countOf(total: number, offset: number, shown: number): string {
  if (total === 0) return "No line matches";
  const lines = total === 1 ? "1 line matches" : `${total} lines match`;
  if (shown === total) return lines;
  return shown === 0 ? `${lines}, none after ${offset}` : `${lines}, ${offset + 1} to ${offset + shown} shown,`;
}

/** Schema properties of all crate tools. */
export const crateProperties = {
  crate_name: textSchema("Name of the crate, such as serde_json."),
  version: {
    type: "string",
    description:
      'Cargo version requirement, such as "1.2" (any 1.x from 1.2 on), "=1.2.3" (exactly that) or "latest". ' +
      "Leave it out to get the version this workspace uses.",
  },
} as const;

/** Returns the line that names the version of an answer and the reason for it. */
export function versionLine({ name, version, why }: LocatedCrate): string {
  return `${name} ${version}: ${why}.`;
}
