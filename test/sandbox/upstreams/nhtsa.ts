import { Seeded } from "./seeded.ts";
import type { StandInPorts } from "./stand-in.ts";

const LATENCY_MS = 380;

const MAKES: Readonly<Record<string, string>> = {
  TOYOTA: "Toyota Motor Engineering & Manufacturing",
  LEXUS: "Toyota Motor Engineering & Manufacturing",
  HONDA: "Honda (American Honda Motor Co.)",
  ACURA: "Honda (American Honda Motor Co.)",
  FORD: "Ford Motor Company",
  LINCOLN: "Ford Motor Company",
  CHEVROLET: "General Motors, LLC",
  GMC: "General Motors, LLC",
  CADILLAC: "General Motors, LLC",
  JEEP: "Chrysler (FCA US, LLC)",
  DODGE: "Chrysler (FCA US, LLC)",
  RAM: "Chrysler (FCA US, LLC)",
  NISSAN: "Nissan North America, Inc.",
  SUBARU: "Subaru of America, Inc.",
  MAZDA: "Mazda North American Operations",
  HYUNDAI: "Hyundai Motor America",
  KIA: "Kia America, Inc.",
  VOLKSWAGEN: "Volkswagen Group of America, Inc.",
  AUDI: "Volkswagen Group of America, Inc.",
  BMW: "BMW of North America, LLC",
  TESLA: "Tesla, Inc.",
  VOLVO: "Volvo Car USA, LLC",
};

interface Defect {
  readonly component: string;
  readonly cause: string;
  readonly consequence: string;
  readonly repair: string;
}

const DEFECTS: readonly Defect[] = [
  {
    component: "FUEL SYSTEM, GASOLINE:DELIVERY:FUEL PUMP",
    cause: "The low-pressure fuel pump inside the fuel tank may fail.",
    consequence:
      "A fuel pump failure can result in an engine stall while driving, increasing the risk of a crash.",
    repair: "replace the fuel pump assembly",
  },
  {
    component: "BACK OVER PREVENTION: SENSING SYSTEM: CAMERA",
    cause: "The rearview camera image may be delayed or not appear when the vehicle is placed in reverse.",
    consequence: "A rearview image that does not appear can reduce the driver's view behind the vehicle.",
    repair: "update the display control software",
  },
  {
    component: "SERVICE BRAKES, HYDRAULIC:POWER ASSIST:VACUUM",
    cause: "The vacuum pump that assists the brakes may leak oil and stop working.",
    consequence: "A sudden loss of brake assist can lengthen the distance needed to stop.",
    repair: "inspect the vacuum pump and replace it where necessary",
  },
  {
    component: "AIR BAGS:FRONTAL",
    cause:
      "The occupant classification sensor may short circuit and not classify the front passenger properly.",
    consequence: "An air bag that does not deploy as designed increases the risk of injury in a crash.",
    repair: "replace the sensor",
  },
  {
    component: "ELECTRICAL SYSTEM:WIRING",
    cause: "Water may enter an electrical connector under the seat and cause a short circuit.",
    consequence: "An electrical short circuit increases the risk of a fire while parked or driving.",
    repair: "seal or replace the connector",
  },
  {
    component: "SEAT BELTS:FRONT:RETRACTOR",
    cause: "The seat belt retractor may not lock as intended in a crash.",
    consequence: "A seat belt that does not restrain its occupant increases the risk of injury.",
    repair: "replace the seat belt assembly",
  },
  {
    component: "STEERING:RACK AND PINION",
    cause: "A fastener of the steering rack may not have been tightened to its specification.",
    consequence: "Loose steering can lead to a loss of vehicle control.",
    repair: "tighten or replace the fasteners",
  },
];

/** Answer as the recalls API: https://www.nhtsa.gov/nhtsa-datasets-and-apis#recalls */
export async function answerNhtsa(request: Request, ports: StandInPorts): Promise<Response> {
  await ports.sleep(LATENCY_MS);
  const { pathname, searchParams } = new URL(request.url);
  if (pathname.toLowerCase() !== "/recalls/recallsbyvehicle")
    return Response.json({ message: "Not Found" }, { status: 404 });
  if (request.method !== "GET") return Response.json({ message: "Method Not Allowed" }, { status: 405 });

  const [make, model, year] = ["make", "model", "modelYear"].map((name) =>
    (searchParams.get(name) ?? "").trim().toUpperCase(),
  ) as [string, string, string];
  if (make === "" || model === "" || !/^\d{4}$/.test(year))
    return Response.json(
      { Count: 0, Message: "Invalid make, model or modelYear", results: [] },
      { status: 400 },
    );

  const results = findRecalls({ make, model, year });
  // The real service answers 400 when a well-formed question has no answer.
  return Response.json(
    { Count: results.length, Message: "Results returned successfully", results },
    { status: results.length === 0 ? 400 : 200 },
  );
}

/** Make recalls up from the vehicle; an unknown make has none. */
function findRecalls({
  make,
  model,
  year,
}: {
  make: string;
  model: string;
  year: string;
}): readonly object[] {
  const manufacturer = MAKES[make];
  if (manufacturer === undefined) return [];
  const seeded = new Seeded(`${year} ${make} ${model}`);
  const first = seeded.int(0, DEFECTS.length - 1);
  return Array.from({ length: seeded.int(1, 4) }, (_, index) => {
    const defect = DEFECTS[(first + index) % DEFECTS.length]!;
    const reported = Number(year) + index;
    const month = String(seeded.int(1, 12)).padStart(2, "0");
    const name = `${make[0]}${make.slice(1).toLowerCase()} ${model[0]}${model.slice(1).toLowerCase()}`;
    const fire = /fire/.test(defect.consequence);
    return {
      Manufacturer: manufacturer,
      NHTSACampaignNumber: `${String(reported).slice(2)}V${seeded.int(100, 899)}000`,
      parkIt: false,
      parkOutSide: fire,
      overTheAirUpdate: false,
      ReportReceivedDate: `${String(seeded.int(1, 28)).padStart(2, "0")}/${month}/${reported}`,
      Component: defect.component,
      Summary: `${manufacturer} is recalling certain ${Number(year) - 1}-${year} ${name} vehicles. ${defect.cause}`,
      Consequence: defect.consequence,
      Remedy: `${manufacturer} will notify owners, and dealers will ${defect.repair}, free of charge. Owners may contact customer service at 1-800-555-0${seeded.int(100, 199)}.`,
      Notes:
        "Owners may also contact the National Highway Traffic Safety Administration Vehicle Safety Hotline at 1-888-327-4236 (TTY 1-800-424-9153), or go to www.nhtsa.gov.",
      ModelYear: year,
      Make: make,
      Model: model,
    };
  });
}
