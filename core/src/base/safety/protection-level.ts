/** How an agent is protected: by the user's rules, by a sandbox and the rules, or by its own manner of asking alone. */
export const protectionLevels = ["rules", "sandbox", "off"] as const;
export type ProtectionLevel = (typeof protectionLevels)[number];
