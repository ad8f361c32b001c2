/**
 * The oldest Chrome that runs this app, and the only place that says so: the build is made for it, `npm run browsers` checks every built
 * file against it, and the page asks for it in words. 95 is the last one for Android 5, 109 the last one for Windows 7.
 */
export const chromeFloor = 95;
