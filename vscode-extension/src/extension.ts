import "./translations.js";
import { commands, env, type ExtensionContext, version, window, workspace } from "vscode";
import { registerDiscuss } from "./features/discuss/discuss.js";
import { LogChannel } from "./features/log/log-channel.js";
import { Logger, reportStart } from "./features/log/logger.js";
import { chatEditorType, chatViewIds, ViewPlacement } from "./features/placement/view-placement.js";
import type { reviewCommands } from "./features/review/review-commands.js";
import type { ReviewPlace } from "./features/review/store/review-folder-lock.js";
import { isReviewLeft, reviewCommandNames, reviewStorage } from "./features/review/store/review-file-paths.js";
import { askingCommands, panelCommands } from "./services/command-table.js";
import { extensionVersion } from "./services/extension-version.js";
import { LanguageFeatures } from "./services/own-language-clients.js";
import { LanguageModelSwitch } from "./services/language-model-switch.js";
import type { AskingServices } from "./services/asking-services.js";
import type { Services, ServicesOptions } from "./services/services.js";

export interface SymposiumApi {
  readonly logger: Logger;
}

const walkthroughId = "symposium-dev.symposium#start";

let services: Promise<Services> | undefined;
let ready: Services | undefined;
let ofReview: typeof reviewCommands | undefined;
let reviewPlace: ReviewPlace | undefined;
let asking: Promise<AskingServices> | undefined;
let languageModels: LanguageModelSwitch | undefined;
let languageFeatures: LanguageFeatures | undefined;

/** Registers commands and views. Everything else is loaded on first use. */
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
  const ownFeatures = (languageFeatures = new LanguageFeatures({ context, logger }));
  const open = (): Promise<Services> =>
    (services ??= openServices({ context, logger, channel, placement, ownFeatures }));
  const command = (name: string, run: (opened: Services, argument: unknown) => unknown): void => {
    const registered = commands.registerCommand(`symposium.${name}`, async (argument?: unknown) => {
      // Run without an await if possible: a command applies to the state when it was invoked, and the editor may report the user's next
      // action in the same tick.
      await run(ready ?? (await open()), argument);
    });
    context.subscriptions.push(registered);
  };
  registerViews({ context, channel, open });
  const models = (languageModels = new LanguageModelSwitch({ context, logger, services: open }));
  context.subscriptions.push(commands.registerCommand("symposium.manageLanguageModels", () => models.manage()));
  const ask = (opened: Services): Promise<AskingServices> =>
    (asking ??= openAsking({ context, logger, services: opened }));
  for (const [name, run] of Object.entries({ ...panelCommands, ...askingCommands(ask) })) command(name, run);
  command("openWalkthrough", () => commands.executeCommand("workbench.action.openWalkthrough", walkthroughId, false));
  for (const name of reviewCommandNames) {
    command(`review.${name}`, ({ review }, argument) => ofReview?.(review)[name](argument));
  }
  void isReviewLeft(reviewStorage(context)).then(async (isLeft) => {
    if (isLeft) await open();
  });
  if (process.env["SYMPOSIUM_TEST"] === "1") void open();
  return { logger };
}

interface ViewsOptions {
  readonly context: ExtensionContext;
  readonly channel: LogChannel;
  readonly open: () => Promise<Services>;
}

function registerViews({ context, channel, open }: ViewsOptions): void {
  context.subscriptions.push(
    channel,
    ...chatViewIds.map((id) =>
      window.registerWebviewViewProvider(id, {
        resolveWebviewView: async (view, resolveContext, token) =>
          (await open()).chat.view.resolveWebviewView(view, resolveContext, token),
      }),
    ),
    window.registerWebviewPanelSerializer(chatEditorType, {
      deserializeWebviewPanel: async (panel, state: unknown) => (await open()).chat.editors.restore(panel, state),
    }),
    window.registerWebviewPanelSerializer("symposium.comparison", {
      deserializeWebviewPanel: async (panel) => (await open()).worktrees.comparisons.restore(panel),
    }),
    window.registerUriHandler({
      handleUri: async (uri) => {
        const { openLink } = await import("./features/deep-links/open-deep-link.js");
        await openLink(uri, await open());
      },
    }),
    registerDiscuss({ addContext: async (attachments) => (await open()).addContext(attachments) }),
    commands.registerCommand("symposium.showLog", () => channel.show()),
  );
}

/** Stops every agent, so that no process outlives the window. */
export async function deactivate(): Promise<void> {
  const [models, features, asked, opened] = [languageModels, languageFeatures, await asking, await services];
  languageModels = undefined;
  languageFeatures = undefined;
  asking = undefined;
  services = undefined;
  ready = undefined;
  const all = [models, features, asked, opened];
  await Promise.all(all.map(async (one) => one?.[Symbol.asyncDispose]()));
  // Dispose of the review storage last, because the services still write to it while they are disposed.
  await reviewPlace?.[Symbol.asyncDispose]();
  reviewPlace = undefined;
}

async function openAsking(options: ConstructorParameters<typeof AskingServices>[0]): Promise<AskingServices> {
  const { AskingServices: Loaded } = await import("./services/asking-services.js");
  return new Loaded(options);
}

async function openServices(options: Omit<ServicesOptions, "reviewPlace">): Promise<Services> {
  const [{ Services: Loaded }, { ReviewPlace: Place }, review] = await Promise.all([
    import("./services/services.js"),
    import("./features/review/store/review-folder-lock.js"),
    import("./features/review/review-commands.js"),
  ]);
  ofReview = review.reviewCommands;
  reviewPlace = await Place.claim(reviewStorage(options.context));
  return (ready = new Loaded({ ...options, reviewPlace }));
}
