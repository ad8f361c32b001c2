export { demoAreas } from "./areas.ts";
export { type DemoOptions, demoRecords } from "./records.ts";
