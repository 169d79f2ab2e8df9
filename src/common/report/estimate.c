#include "estimate.h"

#include <math.h>

/* Student's t, 97.5 %, by degrees of freedom, one less than values. */
static const struct {
    size_t freedom;
    double t;
} student[] = {
    {1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},  {5, 2.571},
    {6, 2.447},  {7, 2.365},  {8, 2.306},  {9, 2.262},  {10, 2.228},
    {11, 2.201}, {12, 2.179}, {13, 2.160}, {14, 2.145}, {15, 2.131},
    {16, 2.120}, {17, 2.110}, {18, 2.101}, {19, 2.093}, {20, 2.086},
    {21, 2.080}, {22, 2.074}, {23, 2.069}, {24, 2.064}, {25, 2.060},
    {26, 2.056}, {27, 2.052}, {28, 2.048}, {29, 2.045}, {30, 2.042},
    {40, 2.021}, {50, 2.009}, {60, 2.000}, {80, 1.990}, {120, 1.980},
};

static double student_t (size_t freedom)
{
    size_t i = 0;
    while (i + 1 < sizeof student / sizeof *student
           && student[i + 1].freedom <= freedom)
        i++;
    return student[i].t;
}

struct estimate estimate_from (double mean, double squares, size_t n)
{
    double count = (double)n;
    return (struct estimate){
        mean, student_t (n - 1) * sqrt (squares / (count - 1) / count)};
}

struct estimate estimate_of (const double value[], size_t n)
{
    double sum = 0, squares = 0, mean;
    for (size_t i = 0; i < n; i++)
        sum += value[i];
    mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (value[i] - mean) * (value[i] - mean);
    return estimate_from (mean, squares, n);
}
