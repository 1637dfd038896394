import type { OptionDeclarations } from "../options.js";

/** Which of Zed's settings are meant. */
export const settingsOptions = {
  settings: { value: "FILE", about: "the settings.json that is meant" },
  flatpak: { about: "the settings of Zed's flatpak" },
} as const satisfies OptionDeclarations;

/** An option of what would change them. */
export const dryRunOption = { "dry-run": { about: "only show the change" } } as const satisfies OptionDeclarations;
