/** How much is run. The quick scale is for a first look: the peak with a slow reader comes late in a long stream, and is lower there. */
export interface Scale {
  /** Number of times that a measure starts its processes. */
  readonly launches: number;
  /** Streams that are timed, a launch and lane. */
  readonly streams: number;
  readonly warmUpStreams: number;
  /** Rounds of turns, a launch; a round has {@link turnsPerRound} turns of each lane. */
  readonly turnRounds: number;
  readonly turnsPerRound: number;
  readonly starts: number;
  readonly stops: number;
  /** Turns of the memory measure: a sample is taken every {@link turnsPerSample}. */
  readonly memoryTurns: number;
  readonly turnsPerSample: number;
  /** Bytes streamed to the slow reader. */
  readonly slowBytes: number;
  readonly toolCalls: number;
}

export const fullScale: Scale = {
  launches: 3,
  streams: 12,
  warmUpStreams: 4,
  turnRounds: 15,
  turnsPerRound: 20,
  starts: 15,
  stops: 7,
  memoryTurns: 10_000,
  turnsPerSample: 1_000,
  slowBytes: 1_000_000_000,
  toolCalls: 1_000,
};

export const quickScale: Scale = {
  launches: 1,
  streams: 7,
  warmUpStreams: 3,
  turnRounds: 6,
  turnsPerRound: 20,
  starts: 5,
  stops: 2,
  memoryTurns: 3_000,
  turnsPerSample: 500,
  slowBytes: 256_000_000,
  toolCalls: 200,
};
