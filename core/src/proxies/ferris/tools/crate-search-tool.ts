import type { Tool } from "../../../mcp/tool-server.js";
import { type CrateLocator } from "../crates/crate-locator.js";
import { searchCrate, type SearchArea, searchAreas, toPattern } from "../crates/search-crate.js";
import { crateProperties, numberArgument, textArgument, versionLine } from "./crate-arguments.js";

const defaultLimit = 50;
const largestLimit = 200;

/** Finds text in the sources of a crate. */
export function crateSearchTool(locator: CrateLocator, cwd: string): Tool {
  return {
    name: "crate_search",
    title: "Search a crate's sources",
    description:
      "Finds lines in the sources, examples and tests of a Rust crate, at the version this workspace uses. " +
      "One match a line as FILE:LINE: TEXT, in pages.",
    inputSchema: {
      properties: {
        ...crateProperties,
        query: {
          type: "string",
          minLength: 1,
          description:
            "A regular expression, or plain text when it is none. Upper and lower case count only when it has upper case.",
        },
        in: { enum: ["src", "examples", "tests", "all"], description: "Where to look; all when left out." },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: largestLimit,
          description: `Matches a page, ${defaultLimit} when left out.`,
        },
        offset: { type: "integer", minimum: 0, description: "Matches to pass over: the number of those seen." },
      },
      required: ["crate_name", "query"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: true },
    async call(args, context) {
      const crateName = textArgument(args, "crate_name") ?? "";
      const query = textArgument(args, "query") ?? "";
      const crate = await locator.locate({ crateName, version: textArgument(args, "version"), cwd }, context.signal);
      const offset = numberArgument(args, "offset", 0);
      const page = { offset, limit: numberArgument(args, "limit", defaultLimit) };
      const area = areaOf(args["in"]);
      const { matches, total } = await searchCrate(crate, toPattern(query), area, page, context.signal);
      const place = `${crate.folder.path}${area === "all" ? "" : ` (${area} only)`}`;
      const head = `${versionLine(crate)}\n${countOf(total, offset, matches.length)} in ${place}`;
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
