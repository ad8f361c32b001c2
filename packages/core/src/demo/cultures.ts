type Words = readonly [string, ...string[]];

/** How people of one region are called. */
export interface Culture {
  readonly female: Words;
  readonly male: Words;
  readonly family: Words;
  /** What a household is called after its head's family name. */
  readonly household: (family: string) => string;
  /**
   * Where the name between given and family name comes from: the mother's family, the father's given name, a second
   * family name after the first, or nowhere.
   */
  readonly middle: "mother-family" | "father-given" | "second-family" | "none";
  /** Whether a spouse takes the head's family name. */
  readonly sharesFamily: boolean;
}

function words(first: string, rest: string): Words {
  return [first, ...rest.split(", ")];
}

const filipino: Culture = {
  female: words(
    "María",
    "Ana, Rosario, Josefina, Luz, Corazón, Liezl, Jasmine, Marites, Analyn, Concepción, Remedios, Angelica, Divina, Princess, Teresita, Imelda",
  ),
  male: words(
    "José",
    "Juan, Ramón, Andrés, Jayson, Mark Anthony, Rodel, Ernesto, Benjamín, Joselito, Danilo, Rommel, Arnel, Ángel, Christian, Reynaldo",
  ),
  family: words(
    "Reyes",
    "Santos, Cruz, Bautista, dela Cruz, García, Mendoza, Peña, Muñoz, Villanueva, Ramos, Aquino, Ibáñez, Castañeda, Magsaysay, Dimaculangan, Salonga",
  ),
  household: (family) => `${family} household`,
  middle: "mother-family",
  sharesFamily: true,
};

const kenyan: Culture = {
  female: words(
    "Wanjiku",
    "Achieng, Akinyi, Nekesa, Naliaka, Amina, Ekai, Akiru, Grace, Mercy, Halima, Nyambura, Chebet, Faith",
  ),
  male: words(
    "Otieno",
    "Kamau, Lokwang, Ekiru, Kiprotich, Hassan, Mwangi, Ochieng', Wekesa, Barasa, Lomuria, Peter, Samuel, Abdi",
  ),
  family: words(
    "Odhiambo",
    "Njoroge, Ng'ang'a, Lokaale, Ekal, Wafula, Cheruiyot, Mohamed, Omondi, Kariuki, Lopeyok, Mutua, Ouma",
  ),
  household: (family) => `${family} household`,
  middle: "none",
  sharesFamily: true,
};

const nepali: Culture = {
  female: words(
    "सीता",
    "गीता, लक्ष्मी, सरस्वती, माया, कमला, पार्वती, सुनिता, अनिता, राधिका, पूजा, दिलमाया, फूलमाया",
  ),
  male: words("राम", "कृष्ण, हरि, गोपाल, बिष्णु, सन्तोष, दीपक, प्रकाश, सुरेश, मान बहादुर, टेक बहादुर, विकास, अर्जुन"),
  family: words("तामाङ", "श्रेष्ठ, गुरुङ, थापा, मगर, राई, शर्मा, अधिकारी, विश्वकर्मा, परियार, नेपाली, महर्जन"),
  household: (family) => `${family} परिवार`,
  middle: "none",
  sharesFamily: true,
};

const arabic: Culture = {
  female: words("فاطمة", "آمنة, عائشة, زينب, مريم, خديجة, سعاد, نور, هدى, إيمان, رقيّة, حليمة, أسماء"),
  male: words("محمد", "أحمد, علي, حسن, إبراهيم, عثمان, يوسف, مصطفى, عمر, خالد, الطيب, آدم, عبد الرحمن"),
  family: words("السيد", "حسين, عبد الله, الشريف, البدوي, موسى, إسماعيل, سليمان, النور, جبريل, المصري, عيسى"),
  household: (family) => `أسرة ${family}`,
  middle: "father-given",
  sharesFamily: false,
};

const senegalese: Culture = {
  female: words("Aïssatou", "Ndèye, Fatou, Awa, Mariéme, Khady, Coumba, Sokhna, Rokhaya, Adja, Bineta"),
  male: words("Mamadou", "Cheikh, Ousmane, Ibrahima, Modou, Aliou, Abdoulaye, Sékou, Lamine, Pape, Moïse"),
  family: words("Diop", "Ndiaye, Fall, Sène, Faye, Sarr, Guèye, Bâ, Sy, Diédhiou, Mané"),
  household: (family) => `Ménage ${family}`,
  middle: "none",
  sharesFamily: false,
};

const colombian: Culture = {
  female: words("Lucía", "María José, Yolanda, Milagros, Ángela, Remedios, Yuliana, Inés, Belén, Rosalía"),
  male: words("José Ángel", "Andrés, Óscar, Iván, Wilmer, Joaquín, Rafael, Hernán, Fabián, Jesús"),
  family: words("Epieyú", "Uriana, Ipuana, Núñez, Gómez, Peñaranda, Ibáñez, Pushaina, Zúñiga, Arévalo"),
  household: (family) => `Familia ${family}`,
  middle: "second-family",
  sharesFamily: false,
};

/** The naming customs that the demonstration data knows. */
export const cultures = { filipino, kenyan, nepali, arabic, senegalese, colombian };
