export { demoAreas } from "./areas.ts";
export { type DemoBenefits, demoBenefits } from "./benefits.ts";
export { type DemoOptions, demoRecords } from "./records.ts";
