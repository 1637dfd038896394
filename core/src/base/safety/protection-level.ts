/** `rules`: the user's rules apply. `sandbox`: sandbox and rules apply. `off`: only the agent's own permission prompts. */
export const protectionLevels = ["rules", "sandbox", "off"] as const;
export type ProtectionLevel = (typeof protectionLevels)[number];
