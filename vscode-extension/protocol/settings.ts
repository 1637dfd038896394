import * as z from "zod/mini";

const progressSchema = z.object({ label: z.string(), percent: z.optional(z.number()) });

/** Agent that the user can select, whether or not it is installed. Listing agents never installs one. */
const agentEntrySchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.optional(z.string()),
  /** Installed version; if the agent isn't installed, the version in the registry. */
  version: z.optional(z.string()),
  /** Version in the registry, if it is newer than the installed one. */
  newerVersion: z.optional(z.string()),
  previousVersion: z.optional(z.string()),
  source: z.enum(["built-in", "registry", "custom"]),
  isInstalled: z.boolean(),
  isPinned: z.boolean(),
  isCurrent: z.boolean(),
  bypassPermissions: z.boolean(),
  problem: z.optional(z.string()),
  progress: z.optional(progressSchema),
});
export type AgentEntry = z.infer<typeof agentEntrySchema>;

/** Extension on the settings page. Extensions are listed in chain order. */
const extensionEntrySchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.optional(z.string()),
  version: z.optional(z.string()),
  /** Version in the registry, if it is newer than the installed one. */
  newerVersion: z.optional(z.string()),
  source: z.enum(["built-in", "registry", "custom"]),
  isEnabled: z.boolean(),
  problem: z.optional(z.string()),
  progress: z.optional(progressSchema),
});
export type ExtensionEntry = z.infer<typeof extensionEntrySchema>;

const recommendationEntrySchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.optional(z.string()),
  reason: z.string(),
  /** Description of the programs that are installed and run if the user accepts. */
  consent: z.string(),
});
export type RecommendationEntry = z.infer<typeof recommendationEntrySchema>;

/** Switch on the settings page, such as `requireModifierToSend`. */
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
  /** Problems in the user's settings, by setting name. */
  problems: z.array(z.object({ setting: z.string(), message: z.string(), hint: z.optional(z.string()) })),
  isTrusted: z.boolean(),
  isLoading: z.boolean(),
  /** Reasons why the registry is unavailable, one per line; absent if available. */
  registryProblem: z.optional(z.string()),
});
export type SettingsState = z.infer<typeof settingsStateSchema>;

/** Messages to the settings page. After each change, the page receives the whole state. */
export const toSettingsViewSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("settings-state"), state: settingsStateSchema }),
]);

const id = z.string().check(z.minLength(1));
const kind = z.enum(["agent", "extension"]);

/** Messages from the settings page. The extension confirms each installation and removal. */
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
