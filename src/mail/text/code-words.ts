/** Word lists by language: terms for one-time codes, and for codes and numbers of other kinds. */

/**
 * Terms for a one-time code, compounds included (`Bestätigungscode`, `verifieringskod`, `vahvistuskoodi`). In order:
 * codes in Latin, Greek and Cyrillic script; one-time passwords; English terms and abbreviations; verification; Arabic,
 * Persian and Urdu; Hebrew; languages of India.
 */
const NAMING = new RegExp(
  `^(?:${[
    '\\p{L}*(?:codes?|c[óo]digos?|codi(?:ce|ci)?|cod|codul|coduri|kod(?:e|en|er|ene|u|um|unu|unuz|nu|y|a|ą|em|ie|ea|i|je|as|s|lar|ni)?|k[óo]d(?:od)?j?[auát]?t?|koder?na|kood(?:i[a-zäöå]*)?|kóð[a-zðiu]*|cód)',
    'код\\p{L}{0,3}|\\p{L}*код|κωδικ\\p{L}*|კოდ\\p{L}*|կոդ\\p{L}*|msimbo',
    '(?:ein|jedno|eng[åa]ngs|engangs|eenmal|kerta|jednor[áa]z)\\p{L}*',
    '(?:passwort|kennwort|wachtwoord|lösenord|passord|salasana|hasło|heslo|jelsz[óo]|lozinka|parol[aă]|senha|clave|contraseña|şifre\\p{L}*|пароль|паролем|пароля)',
    'otps?|pins?|passcodes?|password|passphrase|2fa|mfa|m?tan|sms-?tan|token|pin-?code',
    'verification|verify|verifying|vérification|verificaci[óo]n|verificação|verifica|verificatie|verifizierung|verifiering\\p{L}*|verificering\\p{L}*|verifikasi|verifikation\\p{L}*|weryfikac\\p{L}*|doğrulama|ověř\\p{L}*|overov\\p{L}*|vahvistus\\p{L}*|подтвержден\\p{L}*|xác|mã|pengesahan|prompted',
    '(?:ال|و|ب|ل|وال|بال)?(?:رمز|كود|رقم)|(?:ال)?تحقق|کد|رمزی|کوڈ',
    '[הובלמש]{0,2}(?:קוד|סיסמה|סיסמת|אימות)',
    'कोड|ओटीपी|पिन|सत्यापन|पासकोड|কোড|ওটিপি|કોડ|ਕੋਡ|కోడ్|ಕೋಡ್|കോഡ്|குறியீ[\\p{L}\\p{M}]*',
  ].join('|')})$`,
  'iu',
);

/** Terms in scripts without blanks between words. */
export const NAMING_UNPARTED =
  /验证码|校验码|动态码|动态密码|确认码|(?:验证|一次性|安全|登录)代码|(?:驗證|一次性|安全|登入)代碼|安全码|识别码|一次性密码|驗證碼|驗證密碼|認證碼|確認碼|動態密碼|一次性密碼|安全碼|認証コード|確認コード|セキュリティコード|ログインコード|コード|認証番号|確認番号|暗証番号|ワンタイム(?:パスワード|キー)|パスコード|認証|인증\s?번호|인증\s?코드|확인\s?코드|확인\s?번호|보안\s?코드|보안\s?번호|로그인\s?코드|일회용\s?비밀번호|인증|코드|รหัส|โอทีพี/gu;

/** Compounds for other kinds of code, matched whole: `Postcode`, `Rabattcode`, `alennuskoodi`. */
const OTHER_COMPOUND =
  /^(?:post|zip|bar|strich|qr|promo|voucher|gutschein|rabatt?|aktions|coupon|discount|korting|kupong?|gift|geschenk|gave|cadeau|actie|kampan|tilbud|tarjous|alennus|area|dress|source|quell|länder|vorwahl|bank|sort|farb|produkt|artikel|error|fehler|fel|fejl|feil|virhe|status|buchung|reservier|boeking|bokning|varaus|tracking|sendung|viite|vare|lande)\p{L}*|^(?:de|en|uni)cod|^(?:kodak|episod)/iu;

/** Qualifiers for other kinds of code, directly before the term. */
const OTHER_BEFORE =
  /(?:zip|postal|post|promo|promotional|promotion|discount|coupon|voucher|gift|referral|error|status|exit|source|country|area|dialling|dress|bar|qr|swift|sort|colou?r|product|article|item|tracking|booking|reservation|order|invoice|customer|response|reference|hs|iata|iban|slevov[ýy]|rabatowy|indirim|kampanya|posta|promosyon|promosi|diskon|pos|poštovní|pocztowy|почтовый|промо|クーポン|商品|プロモーション|紹介|バー|QR|割引|招待|エラー|쿠폰|할인|상품|추천|우편|优惠|促销|商品|邮政|邮|折扣|優惠|折扣|郵遞區號|giảm giá|khuyến mãi|bưu|ส่วนลด|โปรโมชั่น|ไปรษณีย์)[ -]?$/iu;
/** Qualifiers directly after the term, in English and in languages that put the qualifier last. */
const OTHER_BEHIND =
  /^\s(?:of (?:conduct|ethics|practice)|review|base|snippet|sample|block|freeze|postal|postale|promo\p{L}*|parrainage|fiscal\p{L}*|sconto|prodotto|cliente?|article|barres?|swift|bic|iban|guichet|banque|d['’](?:article|erreur)|de (?:réduction|remise|promotion|parrainage|commande|suivi|produit|client|descuento|desconto|promoción|pedido|seguimiento|producto|cliente|barras?|área|país|conduct\p{L}*|vestimenta|error|referencia|reserva)|di (?:sconto|errore|prenotazione|tracciamento)|pocztowy|rabatowy|promocyjny|produktu|الخصم|البريدي|القسيمة|הנחה|קופון|מוצר|giảm|khuyến|bưu|sản|ส่วนลด)(?!\p{L})/iu;
const OTHER_BEHIND_UNPARTED = /^(?:ส่วนลด|ไปรษณีย์|สินค้า|ติดตาม)/u;

/** Terms directly before a number that is not a code, such as an order or telephone number. */
const NUMBERED = new RegExp(
  `(?:${[
    'order|invoice|ticket|case|reference|ref|receipt|tracking|account|customer|booking|confirmation number|number|no|nr|n°|nº|№|num|núm|phone|tel|fax|call|text|mobile|ending in|ending|suite|room|flight|version|build|article|item|sku|box|copyright|©|\\(c\\)|since|in(?!\\s?:)|year|street|zip|postcode|member|policy|case id|id',
    'commande|facture|référence|réf|dossier|client|compte|téléphone|tél|numéro|billet|colis|siret|siren|rcs|capital de|postal|bp|cedex|tva',
    'pedido|factura|referencia|cuenta|teléfono|número|reserva|cliente|apartado|cp|c\\.p\\.|orden|nif|cif|fatura|conta|telefone|encomenda|cep|cnpj',
    'ordine|fattura|riferimento|telefono|numero|prenotazione|cap|p\\.?iva',
    'bestellung|bestellnummer|bestellnr|auftragsnummer|auftrag|rechnungsnummer|rechnung|kundennummer|\\p{L}+nummer|telefon|telefonnummer|plz|postfach|hrb|endet auf|vorgangsnummer|sendungsnummer',
    'bestelling|ordernummer|factuur|klantnummer|telefoon|kvk|postbus|ordrenummer|ordre|faktura|kundnummer|puhelin|tilaus|tilausnumero|lasku|asiakasnumero|y-tunnus|cvr',
    'sipariş|sipariş no|fatura|müşteri no|objednávk\\p{L}*|faktur\\p{L}*|zamówieni\\p{L}*|zamówienia nr|nr zamówienia|заказ\\p{L}*|счет|счёт|телефон|тел|inn|инн',
    'đơn hàng|hóa đơn|điện thoại|hotline|pesanan|faktur',
  ].join('|')})(?:\\s(?:no|nr|num|núm|n°|nº|number|nummer|numero|número|numéro|de))?[ .:#°º|\\t-]{0,6}$`,
  'iu',
);
const NUMBERED_UNPARTED = new RegExp(
  `(?:${[
    '(?:問い?合わ?せ|受付|注文|お客様|顧客|会員|伝票|追跡|送り状|予約|契約|電話|照会|管理|整理|請求書?|口座|商品|ケース|チケット)(?:番号|\\s?no\\.?|ナンバー)|電話|〒',
    '订单|单号|拨打|致电|热线|(?:客户|会员|订单|运单|合同|发票|工单|流水|物流|快递)(?:编号|号码?)|流水号|账号|卡号|尾号|电话',
    '訂單|單號|撥打|致電|熱線|(?:客戶|會員|訂單|合約|發票|追蹤|物流)(?:編號|號碼?)|帳號|卡號|電話',
    '고객\\s?센터|(?:주문|고객|운송장|송장|회원|접수|예약|문의|계좌|카드|계약|전화)\\s?번호|주문|전화|송장',
    'คำสั่งซื้อ|หมายเลขคำสั่งซื้อ|โทร|رقم الطلب|طلب رقم|الهاتف|هاتف|فاتورة|הזמנה|מספר הזמנה|טלפון|חשבונית|ऑर्डर|फ़ोन|ग्राहक',
  ].join('|')})(?:は|为|為|是|은|는)?[\\s.:：#|「『【［(（-]{0,6}$`,
  'iu',
);

const MAX_WORD = 60;

/** Whether a word of letters only is a term for a one-time code. */
export const namesCode = (word: string): boolean =>
  word.length <= MAX_WORD && NAMING.test(word) && !OTHER_COMPOUND.test(word);

/** Whether the text around a term qualifies it as another kind of code. */
export const isOtherCode = (before: string, behind: string): boolean =>
  OTHER_BEFORE.test(before) || OTHER_BEHIND.test(behind) || OTHER_BEHIND_UNPARTED.test(behind);

export const isNumbered = (before: string): boolean => NUMBERED_UNPARTED.test(before) || isNumberedWord(before);

/** Matches whole words of the list: `in`, not the end of `within`. */
const isNumberedWord = (before: string): boolean => {
  const match = NUMBERED.exec(before);
  return match !== null && !/\p{L}/u.test(before.charAt(match.index - 1));
};
