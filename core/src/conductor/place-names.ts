/** Where the user of a chain has written what it is made of, as remedies name it; what is absent is not named. */
export interface PlaceNames {
  /** Such as `config.jsonc` or `--agent`. */
  readonly agent?: string;
  readonly proxies?: string;
  /** What sets how long a start may take, such as `--startup-timeout`. */
  readonly startupTimeout?: string;
  readonly stallTimeout?: string;
}
