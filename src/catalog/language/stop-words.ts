/** Words of a request that say nothing about which tool it needs. */
const STOP_WORDS = new Set(
  `a an the this that these those it its they them their there here what which who whom whose when where why how
  i me my mine we us our ours you your yours he him his she her hers one ones someone somebody somewhere anywhere anyone anybody everyone
  is are was were be been being am do does did done doing has have had having will would shall should can could may
  might must let lets gonna wanna want wants wanted need needs needed needing like please pls kindly thanks thank hey hi
  hello ok okay able trying try going go goes got gotten
  and or but nor so if then than as of at by for from in into on onto to with without about over under after before
  since until till during between among through via per off out up down again also just only very really too much many
  more most less least some any all each every both either neither no not none other others another same such own
  right now today tomorrow yesterday tonight morning afternoon evening noon midnight monday tuesday wednesday thursday
  friday saturday sunday january february march april june july august september october november december week weekend weekly
  month monthly year yearly day daily hour hourly minute second soon later ago next last past previous upcoming
  current currently recent recently new latest ever never always still yet already back away around across
  am pm mr mrs ms dr etc eg ie don doesn didn isn aren wasn won ll ve re whether because while
  thing things stuff way lot lots bit kind sort type called named using use used uses make makes made making
  take takes taking took taken give gives giving gave given put puts putting get gets getting come comes came coming
  bring brings keep keeps set sets know knows say says saying said seem seems else instead yes maybe actually
  everything nothing something anything ready sure quick quickly fast easy easily nice good great best better bad
  two three four five six seven eight nine ten eleven twelve half dozen hundred thousand exactly although though however
  quickest fastest soonest enough moment moments once everywhere anymore wouldn shouldn couldn hasn haven hadn weren wasn aren
  tool tools help helps helping given specified certain whole entire full`.split(/\s+/),
);

/** Whether a word (lower case) says nothing about which tool is meant. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}
