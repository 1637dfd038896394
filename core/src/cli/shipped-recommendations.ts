/** The text of core/recommendations.toml; the bundle puts it here, so that it is there wherever the command is. */
declare const SYMPOSIUM_RECOMMENDATIONS: string | undefined;

export const shippedRecommendations = typeof SYMPOSIUM_RECOMMENDATIONS === "undefined" ? "" : SYMPOSIUM_RECOMMENDATIONS;
