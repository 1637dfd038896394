import * as z from "zod/mini";

const progressSchema = z.object({ label: z.string(), percent: z.optional(z.number()) });

/** An agent that can be chosen, whether it is installed or not. Listing never installs. */
const agentEntrySchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.optional(z.string()),
  /** Installed version, or the one the registry offers. */
  version: z.optional(z.string()),
  /** The registry offers a newer version than the installed one. */
  newerVersion: z.optional(z.string()),
  /** The version that was installed before, which is still there. */
  previousVersion: z.optional(z.string()),
  source: z.enum(["built-in", "registry", "custom"]),
  isInstalled: z.boolean(),
  isPinned: z.boolean(),
  isCurrent: z.boolean(),
  bypassPermissions: z.boolean(),
  /** Why it cannot be started, with the remedy. */
  problem: z.optional(z.string()),
  progress: z.optional(progressSchema),
});
export type AgentEntry = z.infer<typeof agentEntrySchema>;

/** An extension of the chain, in chain order. */
const extensionEntrySchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.optional(z.string()),
  version: z.optional(z.string()),
  /** The registry offers a newer version than the installed one. */
  newerVersion: z.optional(z.string()),
  source: z.enum(["built-in", "registry", "custom"]),
  isEnabled: z.boolean(),
  problem: z.optional(z.string()),
  progress: z.optional(progressSchema),
});
export type ExtensionEntry = z.infer<typeof extensionEntrySchema>;

/** An extension that this workspace is recommended, and the sentence that says why. */
const recommendationEntrySchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.optional(z.string()),
  reason: z.string(),
  /** What accepting it would install and run. */
  consent: z.string(),
});
export type RecommendationEntry = z.infer<typeof recommendationEntrySchema>;

/** A switch of the settings page, e.g. `requireModifierToSend`. */
const switchSchema = z.object({
  key: z.string(),
  label: z.string(),
  description: z.string(),
  value: z.boolean(),
});

const settingsStateSchema = z.object({
  agents: z.array(agentEntrySchema),
  extensions: z.array(extensionEntrySchema),
  recommendations: z.array(recommendationEntrySchema),
  switches: z.array(switchSchema),
  /** What is wrong in the user's settings, by the name of the setting. */
  problems: z.array(z.object({ setting: z.string(), message: z.string(), hint: z.optional(z.string()) })),
  isTrusted: z.boolean(),
  isLoading: z.boolean(),
  /** Why the registry could not be asked, a line each; absent where it was. */
  registryProblem: z.optional(z.string()),
});
export type SettingsState = z.infer<typeof settingsStateSchema>;

/** What the extension tells the settings page: the whole state, whenever it changes. */
export const toSettingsViewSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("settings-state"), state: settingsStateSchema }),
]);

const id = z.string().check(z.minLength(1));
const kind = z.enum(["agent", "extension"]);

/** What the settings page asks the extension to do. Whatever installs or removes is confirmed by the extension. */
export const fromSettingsViewSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("settings-ready") }),
  z.object({ type: z.literal("set-current-agent"), id }),
  z.object({ type: z.literal("toggle-bypass-permissions"), id, value: z.boolean() }),
  z.object({ type: z.literal("install"), kind, id }),
  z.object({ type: z.literal("cancel-install"), kind, id }),
  z.object({ type: z.literal("update"), kind, id }),
  z.object({ type: z.literal("rollback"), kind, id }),
  z.object({ type: z.literal("pin"), kind, id, isPinned: z.boolean() }),
  z.object({ type: z.literal("remove"), kind, id }),
  z.object({ type: z.literal("check-for-updates") }),
  /** Opens the dialog that asks where the new one comes from. */
  z.object({ type: z.literal("add-agent") }),
  z.object({ type: z.literal("add-extension") }),
  z.object({ type: z.literal("toggle-extension"), id, isEnabled: z.boolean() }),
  z.object({ type: z.literal("reorder-extensions"), ids: z.array(id) }),
  z.object({ type: z.literal("delete-extension"), id }),
  z.object({ type: z.literal("accept-recommendation"), id }),
  z.object({ type: z.literal("dismiss-recommendation"), id }),
  z.object({ type: z.literal("set-switch"), key: id, value: z.boolean() }),
  z.object({ type: z.literal("run-doctor"), id: z.optional(z.string()) }),
  z.object({ type: z.literal("open-settings"), query: z.optional(z.string()) }),
  z.object({ type: z.literal("show-permissions") }),
]);
export type FromSettingsView = z.infer<typeof fromSettingsViewSchema>;
