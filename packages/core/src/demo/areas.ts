import { type Culture, cultures } from "./cultures.ts";
import type { Weighted } from "./random.ts";

/** A place where households live. */
export interface Area {
  readonly country: string;
  readonly state: string;
  readonly city: string;
  /** Villages or quarters, in the local script. */
  readonly districts: readonly [string, ...string[]];
  /** Streets or lanes; none where houses have no street. */
  readonly streets: readonly string[];
  readonly postalCode?: string;
  readonly culture: Culture;
  /** The international prefix and the operator's digits; `phoneDigits` more follow. */
  readonly phone: string;
  readonly phoneDigits: number;
  /** The system of the national number of persons. */
  readonly nationalId: string;
}

const philippines = {
  country: "PH",
  culture: cultures.filipino,
  phone: "+63917",
  phoneDigits: 7,
  nationalId: "urn:gov:ph:psn",
} as const;

const kenya = {
  country: "KE",
  culture: cultures.kenyan,
  phone: "+25471",
  phoneDigits: 7,
  nationalId: "urn:gov:ke:national-id",
} as const;

const nepal = {
  country: "NP",
  culture: cultures.nepali,
  phone: "+97798",
  phoneDigits: 8,
  nationalId: "urn:gov:np:nin",
} as const;

const areas: readonly [Weighted<Area>, ...Weighted<Area>[]] = [
  [
    20,
    {
      ...philippines,
      state: "Cavite",
      city: "Imus",
      districts: ["Anabu I-A", "Bucandala", "Malagasang II-B", "Medicion", "Tanzang Luma"],
      streets: ["Rizal St", "Mabini St", "Sampaguita St", "P. Burgos St"],
      postalCode: "4103",
    },
  ],
  [
    10,
    {
      ...philippines,
      state: "Cavite",
      city: "Bacoor",
      districts: ["Molino III", "Niog", "Zapote V", "Talaba"],
      streets: ["Aguinaldo Hwy", "Evangelista St", "Kalayaan St"],
      postalCode: "4102",
    },
  ],
  [
    8,
    {
      ...philippines,
      state: "Leyte",
      city: "Tacloban",
      districts: ["Barangay 37", "San José", "Palanog", "Santo Niño"],
      streets: ["Real St", "Burayan St"],
      postalCode: "6500",
    },
  ],
  [
    10,
    {
      ...kenya,
      state: "Turkana",
      city: "Lodwar",
      districts: ["Kanamkemer", "Nakwamekwi", "Napetet", "Kawalase"],
      streets: [],
      postalCode: "30500",
    },
  ],
  [
    8,
    {
      ...kenya,
      state: "Nairobi",
      city: "Kibra",
      districts: ["Laini Saba", "Makina", "Sarang'ombe", "Lindi"],
      streets: ["Kibera Drive", "Karanja Road"],
      postalCode: "00202",
    },
  ],
  [
    9,
    {
      ...nepal,
      state: "Bagmati",
      city: "Bidur",
      districts: ["बट्टार", "त्रिशूली", "ढुंगे", "देवीघाट"],
      streets: [],
      postalCode: "44900",
    },
  ],
  [
    7,
    {
      ...nepal,
      state: "Gandaki",
      city: "Pokhara",
      districts: ["लेखनाथ", "हेम्जा", "पार्दी", "बगर"],
      streets: ["सिद्धार्थ राजमार्ग", "महेन्द्र पुल"],
      postalCode: "33700",
    },
  ],
  [
    9,
    {
      country: "EG",
      state: "Minya",
      city: "Mallawi",
      districts: ["دير أبو حنس", "الروضة", "تندة", "البرشا"],
      streets: ["شارع الجمهورية", "شارع النيل"],
      postalCode: "61631",
      culture: cultures.arabic,
      phone: "+2010",
      phoneDigits: 8,
      nationalId: "urn:gov:eg:nid",
    },
  ],
  [
    7,
    {
      country: "SD",
      state: "Kassala",
      city: "Kassala",
      districts: ["الختمية", "مكرام", "الميرغنية", "ود شريفي"],
      streets: [],
      culture: cultures.arabic,
      phone: "+24991",
      phoneDigits: 7,
      nationalId: "urn:gov:sd:national-number",
    },
  ],
  [
    7,
    {
      country: "SN",
      state: "Dakar",
      city: "Pikine",
      districts: ["Thiaroye Gare", "Djidah Thiaroye Kao", "Yeumbeul", "Guinaw Rail"],
      streets: ["Rue 10", "Route des Niayes"],
      postalCode: "17000",
      culture: cultures.senegalese,
      phone: "+22177",
      phoneDigits: 7,
      nationalId: "urn:gov:sn:cni",
    },
  ],
  [
    5,
    {
      country: "CO",
      state: "La Guajira",
      city: "Uribia",
      districts: ["Cabo de la Vela", "Nazareth", "Siapana", "Puerto Estrella"],
      streets: ["Calle 12", "Carrera 7"],
      postalCode: "441001",
      culture: cultures.colombian,
      phone: "+57300",
      phoneDigits: 7,
      nationalId: "urn:gov:co:cc",
    },
  ],
];

/** Where households live, and how many live there relative to the others. */
export const weightedAreas = areas;

/** The feed names of the areas of the demonstration data, such as `area:PH/Cavite/Imus`; most people live in the first. */
export const demoAreas: readonly string[] = areas.map(
  ([, { country, state, city }]) => `area:${[country, state, city].map(encoded).join("/")}`,
);

function encoded(part: string): string {
  return part.replaceAll("%", "%25").replaceAll("/", "%2F");
}
