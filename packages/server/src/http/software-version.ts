/** As in the package's own description; a test compares the two. */
export const softwareVersion = "0.1.0";
