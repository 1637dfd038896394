/** The value below which `percent` of the values lie, interpolated between neighbours. NaN for none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = ((sorted.length - 1) * percent) / 100;
  const below = sorted[Math.floor(place)] ?? NaN;
  const above = sorted[Math.ceil(place)] ?? NaN;
  return below + (above - below) * (place - Math.floor(place));
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The slope of the least-squares line through the points. */
export function slopeOf(points: readonly Point[]): number {
  const mean = (pick: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const meanX = mean((point) => point.x);
  const meanY = mean((point) => point.y);
  const covariance = mean(({ x, y }) => (x - meanX) * (y - meanY));
  return covariance / mean(({ x }) => (x - meanX) ** 2);
}
