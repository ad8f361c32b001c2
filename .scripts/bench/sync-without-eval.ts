import * as z from "zod";

// As the field app does: the server's content security policy forbids compiling code from strings, and browsers are slow to refuse.
z.config({ jitless: true });
