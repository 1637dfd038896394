import { plainText } from "../../../agents/registry/registry-entry.js";
import type { ImportCandidate } from "../../../context/servers/import-candidates.js";
import type { FoundImports } from "../../../context/servers/node/find-imports.js";
import { importDigest } from "../../../context/servers/node/import-digest.js";
import { serverJson } from "../../../settings/server-edit.js";
import type { ServerLaunch } from "../../../settings/user-server.js";

export interface ShownCandidate {
  readonly candidate: ImportCandidate;
  /** Variables without a value, such as `${env:TOKEN}`. */
  readonly missing: readonly string[];
}

export function foundText(
  { fileCount, problems, candidates, jetBrainsAgents }: FoundImports,
  shown: readonly ShownCandidate[],
): string {
  const known = candidates.filter(({ isKnown }) => isKnown).map(({ server }) => server.name);
  const count = `${shown.length === 0 ? "No" : shown.length} MCP server${shown.length === 1 ? "" : "s"} to import`;
  const lines = [
    `${count}, from ${fileCount} file${fileCount === 1 ? "" : "s"} of other products.`,
    ...shown.flatMap((one, index) => ["", ...candidateLines(one, index + 1)]),
    ...(known.length > 0 ? ["", `Already in config.jsonc: ${plainText(known.join(", "))}.`] : []),
    ...(problems.length > 0 ? ["", "Not read:"] : []),
    ...problems.map(({ path, problem }) => `  ${plainText(path, 4_000)}: ${plainText(problem)}`),
    ...(jetBrainsAgents.length > 0 ? ["", jetBrainsText(jetBrainsAgents)] : []),
  ];
  return lines.join("\n");
}

function candidateLines({ candidate, missing }: ShownCandidate, number: number): readonly string[] {
  const { server, places, secrets, scope, differs, agents, notes } = candidate;
  const [first] = places;
  const renamed = first.name === server.name ? "" : ` (${first.name} there)`;
  const details = [
    ...launchLines(server.launch),
    ...(server.tools ? [`tools: ${server.tools.join(", ")}`] : []),
    ...(server.excludeTools ? [`excluded tools: ${server.excludeTools.join(", ")}`] : []),
    ...(server.oauth ? [`oauth: ${JSON.stringify(server.oauth)}`] : []),
    ...(server.isEnabled ? [] : ["switched off there, so imported as switched off"]),
    ...places.map(({ productName, path, name, folder }) => {
      const as = name === first.name ? "" : `, as ${name}`;
      return `in ${productName}: ${path}${as}${folder === undefined ? "" : `, for ${folder} alone`}`;
    }),
    ...(scope === "project" ? ["comes from this project, not from you: check what it starts"] : []),
    ...(differs ? [`differs from ${differs.from} ${first.name} in ${differs.keys.join(", ")}`] : []),
    ...(agents.length > 0 ? [`already in ${agents.join(", ")}`] : []),
    ...(secrets.length > 0 ? [`secrets in plain text: ${secrets.map(({ where }) => where).join(", ")}`] : []),
    ...(missing.length > 0 ? [`no value yet: ${missing.join(", ")}`] : []),
    ...notes,
  ];
  return [
    `${String(number).padStart(3)}. ${plainText(`${server.name}${renamed}`)}`,
    ...details.map((line) => `     ${plainText(line, Number.MAX_SAFE_INTEGER)}`),
  ];
}

function launchLines(launch: ServerLaunch): readonly string[] {
  if (launch.type !== "stdio") {
    const headers = Object.entries(launch.headers).map(([name, value]) => `header ${name}: ${value}`);
    return [`${launch.type === "sse" ? "sse " : ""}${launch.url}`, ...headers];
  }
  const { command, args, env, cwd, envFile } = launch;
  return [
    [command, ...args].map((word) => (/^[^\s'"]+$/.test(word) ? word : JSON.stringify(word))).join(" "),
    ...Object.entries(env).map(([name, value]) => `env ${name}=${value}`),
    ...(cwd === undefined ? [] : [`in ${cwd}`]),
    ...(envFile === undefined ? [] : [`with the variables of ${envFile}`]),
  ];
}

function jetBrainsText(agents: readonly (string | undefined)[]): string {
  const who = agents.map((agent) => agent ?? "every agent").join(", ");
  return (
    `JetBrains IDEs pass their own servers to ${plainText(who)}. A server that is set up in both places appears twice there: don't ` +
    "import it, or set use_custom_mcp to false in ~/.jetbrains/acp.json."
  );
}

export function foundJson({ problems, jetBrainsAgents }: FoundImports, shown: readonly ShownCandidate[]): object {
  return {
    servers: shown.map(({ candidate: { server, places, secrets, scope, differs, agents, notes }, missing }) => ({
      name: server.name,
      digest: importDigest({ server, secrets }),
      entry: serverJson(server),
      inputs: server.inputs ?? [],
      places,
      scope,
      secrets: secrets.map(({ name, where }) => ({ name, where })),
      differs,
      agents,
      missing,
      notes,
    })),
    problems,
    jetBrainsAgents,
  };
}
