import * as z from "zod";

// The page's content security policy forbids compiling code from strings. Zod tries to as the first schema is made, and browsers take
// their time to refuse: the app would start a tenth of a second later.
z.config({ jitless: true });
