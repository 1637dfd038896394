import type { ConfigState } from "../../../settings/node/config-file.js";
import type { ApprovalState } from "../../../settings/project/approvals.js";
import type { InspectedProject } from "../../../settings/project/node/project-files.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { asObject } from "../../../base/rpc/json.js";
import { JsonDocument } from "../../../settings/json-document.js";
import type { JsonPath } from "../../../base/problem.js";
import { trustRemedy } from "../../../settings/trust/folder-trust.js";
import { checked, type Finding } from "../findings/finding.js";

interface Placed {
  readonly key: string;
  readonly file: string;
  readonly line: number;
}

/**
 * Lists every setting that applies to sessions in this folder, with file, line and whether it is effective, then problems in the project's
 * files. Omits values, which may be secret.
 */
export function checkValues(state: ConfigState, project: InspectedProject | undefined): readonly Finding[] {
  const { ok, warn } = checked("value");
  const line = ({ key, file, line: number }: Placed, note?: string): string =>
    plainText(`${key}: ${file}:${number}${note === undefined ? "" : `, ${note}`}`, 1_000);
  const faulty = state.state === "ok" ? state.problems.map(({ path }) => path) : [];
  const config = state.state === "ok" ? state.config : undefined;
  const users = usersValues(state).map((one) => {
    const isFaulty = faulty.some((path) => one.path.every((part, index) => part === path[index]));
    if (isFaulty) return warn(line(one, "not used; see the warning about it"));
    const isRequired = config?.proxies.some(({ name, required }) => required && one.key === `proxies.${name}`);
    return ok(line(one, isRequired ? undefined : noteOnUsers(one.key, project)));
  });
  if (!project) return users;
  const { files, merged, warnings, place, asked } = project;
  const free = files.flatMap(({ file, freeValues }) => freeValues.map((one) => ok(line({ ...one, file }))));
  const entries = merged.entries.map((entry) => {
    if (project.state === "approved") return ok(line(entry, "which you allowed"));
    const note = notAllowed[project.state];
    if (!asked) return warn(line(entry, note));
    const remedy = `Review it, then allow it: ${trustRemedy(place.folder)}`;
    return { ...warn(line(entry, note), remedy), missing: "approval" as const };
  });
  const { warn: fault } = checked("project");
  return [...users, ...free, ...entries, ...warnings.map((text) => fault(plainText(text, 2_000)))];
}

const notAllowed: Readonly<Record<Exclude<ApprovalState, "approved">, string>> = {
  unasked: "left out: you have not allowed it",
  refused: "left out: it is not allowed",
  never: "left out: nothing from this project is allowed",
};

function usersValues(state: ConfigState): readonly (Placed & { readonly path: JsonPath })[] {
  if (state.state !== "ok") return [];
  const { file, text } = state;
  const document = JsonDocument.parse(text);
  const placed = (key: string, path: JsonPath): Placed & { readonly path: JsonPath } => {
    return { key, path, file, line: document.locate({ severity: "warning", path, message: "" }).line };
  };
  return Object.entries(asObject(document.value) ?? {}).flatMap(([key, value]) => {
    if (key.startsWith("$") || key.startsWith("_")) return [];
    if (key === "mcpServers")
      return Object.keys(asObject(value) ?? {}).map((name) => placed(`${key}.${name}`, [key, name]));
    if (key !== "proxies" || !Array.isArray(value)) return [placed(key, [key])];
    return value.map((one: unknown, index) => {
      const name = asObject(one)?.["name"];
      return placed(`${key}.${typeof name === "string" ? name : index}`, [key, index]);
    });
  });
}

function noteOnUsers(key: string, project: InspectedProject | undefined): string | undefined {
  if (!project) return undefined;
  const { free, approved } = project.merged;
  if (key === "agent" && project.state === "approved" && approved.agent) return "`run` uses the project's agent here";
  const isOff =
    free.disabledServers.some((name) => key === `mcpServers.${name}`) ||
    (project.state === "approved" && approved.disabledProxies.some((name) => key === `proxies.${name}`));
  return isOff ? "switched off by the project" : undefined;
}
