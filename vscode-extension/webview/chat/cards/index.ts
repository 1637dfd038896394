import "../../controls/controls.css";
import "./cards.css";
import "./authentication-card.js";
import "./elicitation-card.js";
import "./permission-card.js";
export { CardDrafts } from "./card-drafts.js";
