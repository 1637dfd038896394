/** What the transcript itself can show of agents, announced in `clientCapabilities` beside the abilities. */
export const ownCapabilities = {
  session: { compaction: {}, configOptions: { boolean: {} }, notices: {} },
  plan: {},
} as const;
