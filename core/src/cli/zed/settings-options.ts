/** Options of the verbs that change Zed's settings. */
export const settingsOptions = {
  settings: { type: "string" },
  flatpak: { type: "boolean" },
  "dry-run": { type: "boolean" },
} as const;
