import { access } from "node:fs/promises";
import { commands, env, type ExtensionContext, version, window, workspace } from "vscode";
import { registerDiscuss } from "./features/discuss/discuss.js";
import { LogChannel } from "./features/log/log-channel.js";
import { Logger, reportStart } from "./features/log/logger.js";
import { ViewPlacement } from "./features/placement/view-placement.js";
import { openTurnsFile, reviewCommandNames, reviewFile } from "./features/review/review-start.js";
import { extensionVersion } from "./services/extension-version.js";
import { LanguageModelSwitch } from "./services/language-model-switch.js";
import type { Services, ServicesOptions } from "./services/services.js";

/** What other extensions and tests get: the structured log. */
export interface SymposiumApi {
  readonly logger: Logger;
}

/** Of the walkthrough in package.json. */
const walkthroughId = "symposium-dev.symposium#start";

let services: Promise<Services> | undefined;
let languageModels: LanguageModelSwitch | undefined;

/** Registers what the editor asks for; everything behind it is made when it is asked for first. */
export function activate(context: ExtensionContext): SymposiumApi {
  const channel = new LogChannel();
  const logger = new Logger(channel);
  reportStart(logger, {
    version: extensionVersion(context),
    editor: `${env.appName} ${version}`,
    remote: env.remoteName,
    platform: `${process.platform}-${process.arch}`,
    node: process.versions.node,
    isTrusted: workspace.isTrusted,
  });
  const placement = new ViewPlacement(commands);
  const open = (): Promise<Services> => (services ??= openServices({ context, logger, channel, placement }));
  const command = (name: string, run: (opened: Services, argument: unknown) => unknown): void => {
    const registered = commands.registerCommand(`symposium.${name}`, async (argument?: unknown) => {
      await run(await open(), argument);
    });
    context.subscriptions.push(registered);
  };
  context.subscriptions.push(
    channel,
    ...ViewPlacement.idsOf("chatView").map((id) =>
      window.registerWebviewViewProvider(id, {
        resolveWebviewView: async (view, resolveContext, token) =>
          (await open()).view.resolveWebviewView(view, resolveContext, token),
      }),
    ),
    ...ViewPlacement.idsOf("settingsView").map((id) =>
      window.registerWebviewViewProvider(id, {
        resolveWebviewView: async (view) => (await open()).settingsServices.view.resolveWebviewView(view),
      }),
    ),
    registerDiscuss({ addContext: async (attachments) => (await open()).addContext(attachments) }),
    commands.registerCommand("symposium.showLog", () => channel.show()),
  );
  command("openChat", (opened, tabId) => opened.show(typeof tabId === "string" ? tabId : undefined));
  command("newTab", (opened, agentId) => opened.openTab(typeof agentId === "string" ? agentId : undefined));
  command("continueWith", (opened, tabId) => opened.continueWith(typeof tabId === "string" ? tabId : undefined));
  command("showHistory", (opened) => opened.showHistory());
  command("showPermissions", (opened) => opened.showPermissions());
  command("exportSession", (opened) => opened.exportTab());
  command("stop", ({ tabs }) => tabs.selectedTab?.conversation?.cancel());
  command("restartAgent", ({ tabs }) => tabs.selectedTab?.restart());
  command("selectAgent", ({ settingsServices }) => settingsServices.agents.select());
  command("addAgent", ({ settingsServices }) => settingsServices.agents.addAgent());
  command("addAgentFromRegistry", ({ settingsServices }) => settingsServices.agents.addAgent());
  command("addExtension", ({ settingsServices }) => settingsServices.agents.addExtension());
  command("checkForUpdates", ({ settingsServices }) => settingsServices.agents.checkForUpdates());
  command("doctor", ({ settingsServices }) => settingsServices.setUp.show(undefined));
  command("showContext", ({ settingsServices, tabs: { selectedTab } }) =>
    settingsServices.showContext(selectedTab?.state.agentId, selectedTab?.record.folder),
  );
  command("importMcpServers", ({ settingsServices }) => settingsServices.importServers.run());
  command("showMcpServers", (opened) => opened.showMcpServers());
  command("showProtocolTrace", ({ settingsServices }) => settingsServices.showTrace());
  command("openSettings", () => placement.focus("settingsView"));
  const models = (languageModels = new LanguageModelSwitch({ context, logger, services: open }));
  context.subscriptions.push(commands.registerCommand("symposium.manageLanguageModels", () => models.manage()));
  command("openWalkthrough", () => commands.executeCommand("workbench.action.openWalkthrough", walkthroughId, false));
  for (const name of reviewCommandNames) {
    command(`review.${name}`, async ({ review }, argument) => {
      const { reviewCommands } = await import("./features/review/review-commands.js");
      return reviewCommands(review)[name](argument);
    });
  }
  // What was under review when the window closed is marked again without anyone asking.
  const left = [reviewFile(context), openTurnsFile(reviewFile(context))];
  void Promise.any(left.map((file) => access(file))).then(open, () => undefined);
  if (process.env["SYMPOSIUM_TEST"] === "1") void open();
  return { logger };
}

/** Ends every agent; nothing of ours outlives the window. */
export async function deactivate(): Promise<void> {
  const [models, opened] = [languageModels, await services];
  languageModels = undefined;
  services = undefined;
  await Promise.all([models?.[Symbol.asyncDispose](), opened?.[Symbol.asyncDispose]()]);
}

async function openServices(options: ServicesOptions): Promise<Services> {
  const { Services: Loaded } = await import("./services/services.js");
  return new Loaded(options);
}
