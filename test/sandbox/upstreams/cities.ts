/** A city the stand-ins know. */
export interface City {
  readonly name: string;
  readonly admin1: string;
  readonly country: string;
  readonly countryCode: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly timezone: string;
}

const ROWS = `
Phoenix|Arizona|United States|US|33.44838|-112.07404|America/Phoenix
New York|New York|United States|US|40.71427|-74.00597|America/New_York
Los Angeles|California|United States|US|34.05223|-118.24368|America/Los_Angeles
San Francisco|California|United States|US|37.77493|-122.41942|America/Los_Angeles
Chicago|Illinois|United States|US|41.85003|-87.65005|America/Chicago
Seattle|Washington|United States|US|47.60621|-122.33207|America/Los_Angeles
Denver|Colorado|United States|US|39.73915|-104.9847|America/Denver
Boston|Massachusetts|United States|US|42.35843|-71.05977|America/New_York
Austin|Texas|United States|US|30.26715|-97.74306|America/Chicago
Dallas|Texas|United States|US|32.78306|-96.80667|America/Chicago
Houston|Texas|United States|US|29.76328|-95.36327|America/Chicago
Miami|Florida|United States|US|25.77427|-80.19366|America/New_York
Atlanta|Georgia|United States|US|33.749|-84.38798|America/New_York
Las Vegas|Nevada|United States|US|36.17497|-115.13722|America/Los_Angeles
Tucson|Arizona|United States|US|32.22174|-110.92648|America/Phoenix
Portland|Oregon|United States|US|45.52345|-122.67621|America/Los_Angeles
Portland|Maine|United States|US|43.65737|-70.2589|America/New_York
Springfield|Missouri|United States|US|37.21533|-93.29824|America/Chicago
Springfield|Illinois|United States|US|39.80172|-89.64371|America/Chicago
Toronto|Ontario|Canada|CA|43.70643|-79.39864|America/Toronto
Vancouver|British Columbia|Canada|CA|49.24966|-123.11934|America/Vancouver
Montréal|Quebec|Canada|CA|45.50884|-73.58781|America/Toronto
Mexico City|Mexico City|Mexico|MX|19.42847|-99.12766|America/Mexico_City
São Paulo|São Paulo|Brazil|BR|-23.5475|-46.63611|America/Sao_Paulo
Rio de Janeiro|Rio de Janeiro|Brazil|BR|-22.90642|-43.18223|America/Sao_Paulo
Buenos Aires|Buenos Aires F.D.|Argentina|AR|-34.61315|-58.37723|America/Argentina/Buenos_Aires
London|England|United Kingdom|GB|51.50853|-0.12574|Europe/London
London|Ontario|Canada|CA|42.98339|-81.23304|America/Toronto
Paris|Île-de-France|France|FR|48.85341|2.3488|Europe/Paris
Paris|Texas|United States|US|33.66094|-95.55551|America/Chicago
Berlin|Land Berlin|Germany|DE|52.52437|13.41053|Europe/Berlin
Munich|Bavaria|Germany|DE|48.13743|11.57549|Europe/Berlin
Hamburg|Hamburg|Germany|DE|53.55073|9.99302|Europe/Berlin
Vienna|Vienna|Austria|AT|48.20849|16.37208|Europe/Vienna
Zürich|Zurich|Switzerland|CH|47.36667|8.55|Europe/Zurich
Amsterdam|North Holland|Netherlands|NL|52.37403|4.88969|Europe/Amsterdam
Brussels|Brussels Capital|Belgium|BE|50.85045|4.34878|Europe/Brussels
Madrid|Madrid|Spain|ES|40.4165|-3.70256|Europe/Madrid
Barcelona|Catalonia|Spain|ES|41.38879|2.15899|Europe/Madrid
Lisbon|Lisbon District|Portugal|PT|38.71667|-9.13333|Europe/Lisbon
Rome|Lazio|Italy|IT|41.89193|12.51133|Europe/Rome
Milan|Lombardy|Italy|IT|45.46427|9.18951|Europe/Rome
Athens|Attica|Greece|GR|37.98376|23.72784|Europe/Athens
Prague|Prague|Czechia|CZ|50.08804|14.42076|Europe/Prague
Warsaw|Masovian|Poland|PL|52.22977|21.01178|Europe/Warsaw
Stockholm|Stockholm|Sweden|SE|59.32938|18.06871|Europe/Stockholm
Oslo|Oslo County|Norway|NO|59.91273|10.74609|Europe/Oslo
Copenhagen|Capital Region|Denmark|DK|55.67594|12.56553|Europe/Copenhagen
Helsinki|Uusimaa|Finland|FI|60.16952|24.93545|Europe/Helsinki
Reykjavik|Capital Region|Iceland|IS|64.13548|-21.89541|Atlantic/Reykjavik
Dublin|Leinster|Ireland|IE|53.33306|-6.24889|Europe/Dublin
Istanbul|Istanbul|Türkiye|TR|41.01384|28.94966|Europe/Istanbul
Cairo|Cairo|Egypt|EG|30.06263|31.24967|Africa/Cairo
Nairobi|Nairobi County|Kenya|KE|-1.28333|36.81667|Africa/Nairobi
Lagos|Lagos|Nigeria|NG|6.45407|3.39467|Africa/Lagos
Cape Town|Western Cape|South Africa|ZA|-33.92584|18.42322|Africa/Johannesburg
Dubai|Dubai|United Arab Emirates|AE|25.07725|55.30927|Asia/Dubai
Mumbai|Maharashtra|India|IN|19.07283|72.88261|Asia/Kolkata
Delhi|Delhi|India|IN|28.65195|77.23149|Asia/Kolkata
Bangkok|Bangkok|Thailand|TH|13.75398|100.50144|Asia/Bangkok
Singapore||Singapore|SG|1.28967|103.85007|Asia/Singapore
Hong Kong||Hong Kong|HK|22.27832|114.17469|Asia/Hong_Kong
Beijing|Beijing|China|CN|39.9075|116.39723|Asia/Shanghai
Shanghai|Shanghai|China|CN|31.22222|121.45806|Asia/Shanghai
Seoul|Seoul|South Korea|KR|37.566|126.9784|Asia/Seoul
Tokyo|Tokyo|Japan|JP|35.6895|139.69171|Asia/Tokyo
Osaka|Osaka|Japan|JP|34.69374|135.50218|Asia/Tokyo
Sydney|New South Wales|Australia|AU|-33.86785|151.20732|Australia/Sydney
Melbourne|Victoria|Australia|AU|-37.814|144.96332|Australia/Melbourne
Auckland|Auckland|New Zealand|NZ|-36.84853|174.76349|Pacific/Auckland
`;

const CITIES: readonly City[] = ROWS.trim()
  .split("\n")
  .map((row) => {
    const [name, admin1, country, countryCode, latitude, longitude, timezone] = row.split("|") as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    return {
      name,
      admin1,
      country,
      countryCode,
      latitude: Number(latitude),
      longitude: Number(longitude),
      timezone,
    };
  });

/** Find the cities a text starts to name, the most prominent first. Two letters must be the whole name. */
export function findCities(text: string): readonly City[] {
  const wanted = toKey(text);
  return CITIES.filter((city) =>
    wanted.length < 3 ? toKey(city.name) === wanted : toKey(city.name).startsWith(wanted),
  );
}

/** Find the city nearest to a point, as a forecast's time zone needs it. */
export function nearestCity(latitude: number, longitude: number): City {
  const distance = (city: City): number =>
    (city.latitude - latitude) ** 2 + (city.longitude - longitude) ** 2;
  return CITIES.reduce((nearest, city) => (distance(city) < distance(nearest) ? city : nearest));
}

function toKey(name: string): string {
  return name.normalize("NFD").replaceAll(/\p{M}/gu, "").trim().toLowerCase();
}
