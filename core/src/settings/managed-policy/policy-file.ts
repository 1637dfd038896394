import { type LocatedProblem, Place, type Problem } from "../../base/problem.js";
import { protectionLevels } from "../../base/safety/protection-level.js";
import { JsonDocument } from "../json-document.js";
import {
  anyObject,
  choice,
  describeValue,
  flag,
  type JsonSchema,
  list,
  mapped,
  optional,
  record,
  text,
  wholeNumber,
} from "../shape.js";
import type { Shape } from "../shape.js";

const level = choice(protectionLevels, "Lowest protection level that an agent may have.");

/** Address with `*` for any characters. A pattern must fix the scheme and the host, since `*` could otherwise match any host. */
const addressPattern: Shape<string> = {
  schema: { type: "string", pattern: "^https?://[^/]+/", description: "Address, such as https://mcp.example.com/*." },
  read(value, place) {
    if (typeof value === "string" && /^https?:\/\/(?:\*\.)?[^\s/*?#@\\]+\/\S*$/i.test(value)) return value;
    return place.report(
      `${place.label} must be an address with a path, got ${describeValue(value)}.`,
      "Write https://mcp.example.com/*, or https://*.example.com/*.",
    );
  },
};

const digest: Shape<string> = {
  schema: {
    type: "string",
    pattern: "^[0-9a-f]{64}$",
    description: "SHA-256 digest of a command's words, each followed by a NUL.",
  },
  read(value, place) {
    if (typeof value === "string" && /^[0-9a-f]{64}$/.test(value)) return value;
    return place.report(
      `${place.label} must have 64 hexadecimal digits, got ${describeValue(value)}.`,
      "Symposium's message about a refused server names its digest.",
    );
  },
};

/** A server that may be used: a command with a digest, or an address. */
type AllowedServer = { readonly sha256: string } | { readonly url: string };

const allowedServer: Shape<AllowedServer> = mapped(
  record({ sha256: optional(digest), url: optional(addressPattern) }, { description: "A command's digest or a URL." }),
  ({ sha256, url }, place) => {
    if (sha256 !== undefined && url === undefined) return { sha256 };
    if (url !== undefined && sha256 === undefined) return { url };
    return place.report(`${place.label} must have either "sha256" or "url".`, "Write a separate entry for each.");
  },
);

const days = wholeNumber({ unit: "days", description: "Maximum days since a conversation's last use." });

const never: Shape<false> = {
  schema: { const: false, description: "false: agents always ask, and no mode or setting turns that off." },
  read: (value, place) =>
    value === false ? value : place.report(`${place.label} must be false, got ${describeValue(value)}.`, "Or omit it."),
};

const neverKept: Shape<false> = {
  ...never,
  schema: { const: false, description: "false: no conversation is stored." },
};

const names = (description: string) => list(text("A name."), description);

const contents = record(
  {
    $schema: optional(text("URL of this file's schema.")),
    allowedAgents: optional(names("Agents that may run: ids, or absolute paths of programs.")),
    allowedRegistries: optional(list(addressPattern, "Lists of agents and extensions that may be used.")),
    allowedMcpServers: optional(list(allowedServer, "MCP servers that users, projects and editors may add.")),
    allowedExtensions: optional(names("Extensions that may run: names, or absolute paths of programs.")),
    allowedHosts: optional(names("Hosts that agents may connect to, such as api.example.com or *.example.com.")),
    lowestProtection: optional(level),
    rules: optional(
      list(anyObject("A rule as in guard.jsonc, with the effect `deny` or `ask`."), "Rules for all agents."),
    ),
    bypassPermissions: optional(never),
    conversations: optional(
      record({ keep: optional(neverKept), days: optional(days) }, { description: "Limits for stored conversations." }),
    ),
    telemetry: optional(
      record(
        {
          endpoint: optional(text("URL to which telemetry goes.")),
          allowed: optional(flag("Whether telemetry may be sent.")),
        },
        { description: "Limits for telemetry." },
      ),
    ),
  },
  { description: "Limits that users, projects, editors and agents can't lift." },
);

/** One policy file. Absent members set no limit. */
export type PolicyFile = NonNullable<ReturnType<typeof contents.read>> & {
  /** Absolute path. */
  readonly file: string;
  /** The file's text, from which the guard reads the rules. */
  readonly text: string;
};

/** Parses a policy file; never throws. If there is any problem, the file must not be used, since a limit may be missing. */
export function parsePolicyFile(
  given: string,
  file: string,
): { readonly policy?: PolicyFile; readonly problems: readonly LocatedProblem[] } {
  const document = JsonDocument.parse(given);
  const found: Problem[] = [];
  const read = document.isBroken ? null : contents.read(document.value ?? {}, new Place(found));
  const problems = [...document.problems, ...found.map((problem) => document.locate(problem))];
  return read && problems.length === 0 ? { policy: { ...read, file, text: given }, problems } : { problems };
}

export function policySchema(): JsonSchema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Symposium policy",
    ...contents.schema,
    allowTrailingCommas: true,
  };
}
