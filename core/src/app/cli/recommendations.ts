import { Scope } from "../../base/scope.js";
import { completeEnvironment } from "../../settings/node/complete-environment.js";
import { configFolder } from "../../settings/node/config-file.js";
import { invalidArguments } from "../../base/symposium-error.js";
import { recommendExtensions } from "../../agents/recommendations/node/recommend-extensions.js";
import { offeredPackageSkills, SkillAnswers } from "../../agents/recommendations/node/allowed-skills.js";
import { findPackageSkills } from "../../agents/recommendations/node/find-package-skills.js";
import type { OfferedSkills, PackageSkills } from "../../agents/recommendations/package-skills.js";
import { TrustFile } from "../../settings/trust/node/trust-file.js";
import { Watchdog } from "../../base/node/orphan-watchdog.js";
import type { OfferedExtension } from "../../agents/recommendations/offered-extensions.js";
import { plainText } from "../../agents/registry/registry-entry.js";
import { tightened } from "../../settings/managed-policy/managed-policy.js";
import { systemPolicy } from "../../settings/managed-policy/node/system-policy.js";
import { defaultSettings } from "../../settings/settings-table.js";
import { whatRuns } from "../../settings/component-command-text.js";
import { vouchingFor } from "../../settings/trust/node/trusted-worktrees.js";
import { ProtectionLevels } from "../../guard/node/protection-levels.js";
import { defaultExtensions } from "../../extensions/extension-names.js";
import { brokenConfigText, readUserConfig } from "../read-user-config.js";
import { trustOption } from "./options.js";
import { say, warn } from "./output.js";
import type { Subcommand } from "./declaration.js";
import { subcommand, subcommandGroup } from "./subcommand.js";
import { waitingFor } from "./waiting-line.js";

/** Maximum age at which the published list is used without a request. */
const freshMs = 24 * 60 * 60_000;

export const recommendations = subcommandGroup({
  name: "recommendations",
  about: "Show extensions that fit this folder.",
  members: {
    list: { about: "list recommended extensions, and why", load: () => Promise.resolve(list) },
    allow: { about: "give agents the skills of a package", load: () => Promise.resolve(answering(true)) },
    refuse: { about: "stop offering the skills of a package", load: () => Promise.resolve(answering(false)) },
  },
});

/**
 * `recommendations list`: lists the extensions offered for the current folder, with reasons, as a table or one JSON line. Installs and
 * enables nothing. Warnings go to stderr and don't affect the exit code.
 */
const list = subcommand({
  name: "recommendations list",
  about: "List the extensions recommended for this folder, and why. Enables nothing.",
  options: {
    json: { about: "print the list as one line of JSON" },
    refresh: { about: "fetch the published list again" },
    ...trustOption,
  },
  async run({ values }) {
    await using scope = new Scope();
    const state = await readUserConfig();
    if (state.state === "broken") warn(brokenConfigText(state));
    const settings = tightened(await systemPolicy(), state.state === "ok" ? state.config.settings : defaultSettings);
    await completeEnvironment(settings.loginEnvironment);
    const looking = recommendExtensions({
      workspaceFolder: process.cwd(),
      configFolder: configFolder(),
      shipped: shippedRecommendations,
      remoteAddress: settings.recommendationsUrl,
      freshMs: values.refresh === true ? 0 : freshMs,
      // Without a configuration, all built-in proxies are enabled.
      proxies: state.state === "ok" ? state.config.proxies : defaultExtensions.map((name) => ({ name, enabled: true })),
      env: process.env,
      trust: await vouchingFor(values["trusted-folder"]),
      startsCargo: !(await ProtectionLevels.read(settings.guard)).areSandboxed("any"),
      signal: new AbortController().signal,
      watchdog: scope.add(new Watchdog()),
    });
    const { offers, warnings } = await waitingFor("Looking for recommendations", looking);
    const ofPackages = await offeredPackageSkills(process.cwd(), process.env, new SkillAnswers(new TrustFile()));
    // The warnings quote untrusted files, so control characters are removed for the terminal.
    for (const line of [...warnings, ...ofPackages.warnings]) warn(plainText(line, 2_000));
    const { skills } = ofPackages;
    if (values.json === true) return await say(JSON.stringify([...offers, ...skills]));
    return await say([table(offers), ...skills.map(skillLines)].join("\n"));
  },
});

/**
 * `recommendations allow KEY` and `refuse KEY`: stores the user's answer about the current skills of a used package. Prints one line per
 * skill.
 */
function answering(isAllowed: boolean): Subcommand {
  const verb = isAllowed ? "allow" : "refuse";
  return subcommand({
    name: `recommendations ${verb}`,
    about: isAllowed
      ? "Give agents the current skills of a package that this folder uses. You are asked again when they change."
      : "Stop offering the skills of a package, and take them from all agents. Works in any folder.",
    arguments: { KEY: "the package, as in `recommendations list`, such as npm:my-library" },
    options: { digest: { about: "only if the skills still have this digest, as in `list --json`", value: "HEX" } },
    async run({ values, positionals: [key = ""] }) {
      const found = (
        await findPackageSkills({ workspace: process.cwd(), env: process.env, wanted: new Set([key]) })
      ).filter(({ skills }) => skills.length > 0);
      const asked = found.filter(({ digest }) => values.digest === undefined || digest === values.digest);
      const answers = new SkillAnswers(new TrustFile());
      // A consent can be revoked even if nothing uses the package anymore.
      if (found.length === 0 && !isAllowed && (await answers.takeBack(key)))
        return say(`Skills of ${plainText(key)}: no agent gets them.`);
      if (asked.length === 0) {
        const shown = plainText(key);
        const reason =
          found.length === 0
            ? `this folder uses no package ${shown} that has skills`
            : `the skills of ${shown} have changed since they were shown`;
        throw invalidArguments(`recommendations ${verb}: ${reason}.`, listHint);
      }
      for (const one of asked) await answers.keep(one, isAllowed);
      return say(asked.map((one) => answered(one, isAllowed)).join("\n"));
    },
  });
}

const listHint = "Run `symposium-acp-agent recommendations list` in the project's folder.";

function answered({ title, folder, skills }: PackageSkills, isAllowed: boolean): string {
  const what = isAllowed ? "agents get them from the next session" : "no agent gets them";
  return [
    `Skills of ${title} (${plainText(folder, 2_000)}): ${what}.`,
    ...skills.map(({ name, description }) => `  ${name}: ${description}`),
  ].join("\n");
}

function skillLines({ id, title, reasons, state, skills }: OfferedSkills): string {
  return [
    `${title}${state === "allowed" ? "  allowed" : ""}  ${reasons.join("; ")}`,
    ...skills.map(({ name, description }) => `  ${name}: ${description}`),
    ...(state === "allowed" ? [] : [`  to allow: symposium-acp-agent recommendations allow ${plainText(id)}`]),
  ].join("\n");
}

function table(offers: readonly OfferedExtension[]): string {
  if (offers.length === 0) return "No extension is recommended for this workspace.";
  const width = Math.max(...offers.map(({ title }) => title.length));
  const rows = offers.flatMap((offer) => {
    const { title, reasons, alreadyEnabled } = offer;
    const lines = reasons.map((reason, index) => {
      const first = index === 0 ? title : "";
      return `${first.padEnd(width)}  ${(index === 0 && alreadyEnabled ? "enabled" : "").padEnd(7)}  ${reason}`;
    });
    const runs = commandOf(offer);
    return runs === undefined ? lines : [...lines.slice(0, 1), `  runs ${runs}`, ...lines.slice(1)];
  });
  return rows.join("\n");
}

/** Shows the full command, since a short title hides the program: `node ./tools/x.js` instead of "node". */
function commandOf({ id, source, distribution }: OfferedExtension): string | undefined {
  if ("builtin" in source || distribution === undefined) return undefined;
  return whatRuns(JSON.stringify({ id, distribution }));
}

/** Content of core/recommendations.toml, inlined by the bundler so that it doesn't depend on the command's location. */
declare const SYMPOSIUM_RECOMMENDATIONS: string | undefined;

const shippedRecommendations = typeof SYMPOSIUM_RECOMMENDATIONS === "undefined" ? "" : SYMPOSIUM_RECOMMENDATIONS;
