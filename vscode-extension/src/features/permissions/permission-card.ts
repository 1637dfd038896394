import * as l10n from "@vscode/l10n";
import type { CheckedPath } from "@symposium-dev/core/node";
import type { ItemOf, ToolContent } from "../../../protocol/index.js";
import { boundedJson, pathLabel, toLocation } from "../../acp/tool-content.js";
import type { AbilitySession } from "../../acp/client-abilities.js";
import type { PermissionRequest } from "./permission-request.js";
import type { PermissionSubject } from "./permission-subject.js";
import { type VisibleText, visibleText } from "@symposium-dev/core";

export function permissionCard(
  id: string,
  request: PermissionRequest,
  subject: PermissionSubject,
  ruleLabel: string | undefined,
  session: Pick<AbilitySession, "agent" | "roots">,
): ItemOf<"permission"> {
  const title = visibleText(shortTitle(request.title, subject, session), l10n.t("The title"));
  const command = subject.command && visibleText(subject.command.text, l10n.t("The command"));
  const diffs = request.content.map(visibleDiff);
  const paths = subject.paths.map(({ path }) => visibleText(path, l10n.t("A path")));
  const warnings = [title, command, ...paths, ...diffs.map(({ shown }) => shown)].flatMap(
    (text: VisibleText | undefined) => text?.warnings ?? [],
  );
  return {
    kind: "permission",
    id,
    // Only for Symposium's own questions do the options define how long an answer lasts.
    agentName: request.hasOwnAnswers === true ? "Symposium" : session.agent.name,
    toolCallId: request.toolCallId,
    title: title.text,
    toolKind: request.toolKind,
    locations: subject.paths.map((checked) => locationOf(checked, request, session)),
    content: diffs.map(({ content }) => content),
    warnings: [...new Set([...warnings, ...subject.paths.flatMap(pathWarnings), ...commandWarnings(subject)])],
    options: [...request.options],
    ...(request.hasOwnAnswers === true ? { hasOwnAnswers: true } : {}),
    ...(command ? { command: command.text } : {}),
    ...(subject.command ? { cwd: subject.command.cwd.path } : {}),
    ...(request.rawInput === undefined
      ? {}
      : { input: visibleText(boundedJson(request.rawInput), l10n.t("The input")).text }),
    ...(ruleLabel === undefined ? {} : { ruleLabel: visibleText(ruleLabel, l10n.t("The rule")).text }),
  };
}

function shortTitle(title: string, { command, paths }: PermissionSubject, { roots }: Pick<AbilitySession, "roots">) {
  if (command !== undefined) return title;
  const labels = new Map(paths.map(({ path }) => [path, pathLabel(path, roots)]));
  // Replace whole words only, since a path can be part of a longer one.
  return labels.get(title) ?? title.replace(/[^\s"'`]+/g, (word) => labels.get(word) ?? word);
}

function visibleDiff(content: ToolContent): { content: ToolContent; shown: VisibleText | undefined } {
  if (content.type !== "diff") return { content, shown: undefined };
  // Check only added lines: existing source text may use such characters deliberately.
  const added = content.patch.split("\n").filter((line) => line.startsWith("+"));
  const { warnings } = visibleText(
    added.join("\n").replace(/[ \t]{2,}/g, " "),
    l10n.t("The change to {0}", content.path),
  );
  return { content: { ...content, patch: visibleText(content.patch, "").text }, shown: { text: "", warnings } };
}

function locationOf({ path }: CheckedPath, request: PermissionRequest, session: Pick<AbilitySession, "roots">) {
  const line = request.locations.find((location) => location.path === path)?.line;
  const location = toLocation(path, line, session.roots);
  return { ...location, label: visibleText(location.label, "").text };
}

function pathWarnings({ path, real, isInside, sensitive }: CheckedPath): string[] {
  const name = visibleText(path, "").text;
  const warnings: string[] = [];
  if (!isInside) {
    const lead = real === path ? "" : l10n.t(" It leads to {0}.", visibleText(real, "").text);
    warnings.push(l10n.t("{0} is outside the workspace.{1}", name, lead));
  }
  if (sensitive) warnings.push(`${name} ${sensitive.why}.`);
  return warnings;
}

function commandWarnings({ command }: PermissionSubject): string[] {
  if (command === undefined) return [];
  const warnings: string[] = [];
  if (!command.cwd.isInside)
    warnings.push(
      l10n.t("The command runs in {0}, which is outside the workspace.", visibleText(command.cwd.path, "").text),
    );
  const names = Object.keys(command.variables);
  if (names.length > 0)
    warnings.push(l10n.t("It sets variables for the command: {0}.", visibleText(names.join(", "), "").text));
  return warnings;
}
